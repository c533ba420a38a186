"""The labelled set: made-up secrets of every type, and ordinary text that looks like them.

No secret is written out: each is put together when the tests run, out of a prefix in two parts and
characters drawn from a fixed seed, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import random
import string
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"


class Secret(NamedTuple):
    """A text, what in it must not be stored, and the name it should be found under."""

    name: str
    value: str
    text: str


class Draw:
    """Characters that look random and are the same in every run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def __call__(self, length: int, alphabet: str = ALNUM) -> str:
        """So many characters of an alphabet."""
        return "".join(self._random.choices(alphabet, k=length))


def tokens(draw: Draw) -> Iterator[tuple[str, str]]:
    """One or more of each token that a vendor gives a shape."""
    yield "1password-token", "ops" + "_ey" + "J" + draw(250)
    yield "age-key", "AGE-SECRET" + "-KEY-1" + draw(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")
    yield "airtable-token", "pa" + "t" + draw(14) + "." + draw(64, HEX)
    yield "alibaba-key", "LT" + "AI" + draw(20)
    yield "anthropic-key", "sk-" + "ant-api03-" + draw(93, URLSAFE) + "AA"
    yield "anthropic-key", "sk-" + "ant-admin01-" + draw(93, URLSAFE) + "AA"
    yield "anthropic-key", "sk-" + "ant-oat01-" + draw(86, URLSAFE)
    yield "atlassian-token", "ATA" + "TT3x" + draw(180, URLSAFE)
    yield "aws-access-key", "AK" + "IA" + draw(16, UPPER)
    yield "aws-access-key", "AS" + "IA" + draw(16, UPPER)
    yield "azure-client-secret", draw(3) + "8" + "Q~" + draw(34)
    yield "buildkite-token", "bk" + "ua_" + draw(40, HEX)
    yield "circleci-token", "CCI" + "PAT_" + draw(22) + "_" + draw(40, HEX)
    yield "databricks-token", "da" + "pi" + draw(32, HEX)
    yield "digitalocean-token", "do" + "p_v1_" + draw(64, HEX)
    yield "discord-token", "M" + draw(23) + "." + draw(6) + "." + draw(27)
    yield "docker-token", "dckr" + "_pat_" + draw(27, URLSAFE)
    yield "doppler-token", "dp." + "pt." + draw(43)
    yield "dynatrace-token", "dt0" + "c01." + draw(24, UPPER) + "." + draw(64, UPPER)
    yield "figma-token", "fig" + "d_" + draw(40, URLSAFE)
    yield "fly-token", "fo" + "1_" + draw(43, URLSAFE)
    yield "gcp-api-key", "AI" + "za" + draw(35, URLSAFE)
    yield "gcp-client-secret", "GOC" + "SPX-" + draw(28, URLSAFE)
    yield "gcp-oauth-token", "ya" + "29." + draw(120, URLSAFE)
    yield "github-token", "gh" + "p_" + draw(36)
    yield "github-token", "gh" + "s_" + draw(36)
    yield "github-token", "github" + "_pat_" + draw(22) + "_" + draw(59)
    yield "gitlab-token", "gl" + "pat-" + draw(20)
    yield "gitlab-token", "gl" + "rt-" + draw(20)
    yield "grafana-token", "gl" + "sa_" + draw(32) + "_" + draw(8, HEX)
    yield "groq-key", "gs" + "k_" + draw(52)
    yield "heroku-key", "HR" + "KU-AA" + draw(58)
    yield "huggingface-token", "h" + "f_" + draw(34, string.ascii_letters)
    yield "linear-key", "lin" + "_api_" + draw(40)
    yield "mailchimp-key", draw(32, HEX) + "-us" + "12"
    yield "mailgun-key", "ke" + "y-" + draw(32, HEX)
    yield "newrelic-key", "NR" + "AK-" + draw(27, UPPER)
    yield "notion-token", "nt" + "n_" + draw(11, string.digits) + draw(35)
    yield "npm-token", "np" + "m_" + draw(36)
    yield "openai-key", "sk" + "-" + draw(48)
    yield "openai-key", "sk" + "-proj-" + draw(74, URLSAFE) + "T3Blbk" + "FJ" + draw(74, URLSAFE)
    yield "openai-key", "sk" + "-or-v1-" + draw(64, HEX)
    yield "planetscale-token", "pscale" + "_tkn_" + draw(43, URLSAFE)
    yield "postman-key", "PM" + "AK-" + draw(24, HEX) + "-" + draw(34, HEX)
    yield "pulumi-token", "pu" + "l-" + draw(40, HEX)
    yield "pypi-token", "py" + "pi-AgEIcHlwaS5vcmc" + draw(150, URLSAFE)
    yield "recollect-token", "rc" + "t_" + draw(43, URLSAFE)
    yield "replicate-token", "r" + "8_" + draw(37)
    yield "rubygems-token", "ruby" + "gems_" + draw(48, HEX)
    yield "sendgrid-key", "S" + "G." + draw(22) + "." + draw(43)
    yield "sentry-token", "sntr" + "yu_" + draw(64, HEX)
    yield "shopify-token", "shp" + "at_" + draw(32, HEX)
    yield "slack-token", "xo" + "xb-" + draw(12, string.digits) + "-" + draw(24)
    yield "slack-token", "xa" + "pp-1-" + draw(11, UPPER) + "-" + draw(64, HEX)
    yield "square-token", "sq0" + "atp-" + draw(22)
    yield "stripe-key", "sk" + "_live_" + draw(24)
    yield "stripe-key", "rk" + "_test_" + draw(24)
    yield "supabase-key", "sb" + "p_" + draw(40, HEX)
    yield "tailscale-key", "ts" + "key-auth-" + draw(12) + "-" + draw(32)
    yield "telegram-token", draw(9, "123456789") + ":A" + "A" + draw(33)
    yield "terraform-token", draw(14) + ".atlas" + "v1." + draw(67)
    yield "twilio-key", "S" + "K" + draw(32, HEX)
    yield "vault-token", "hv" + "s." + draw(95)
    yield "xai-key", "xa" + "i-" + draw(80)


AROUND = (
    "{}",
    "The deploy failed with {} in the log.",
    'curl -H "X-Auth: {}" https://api.internal/v1',
    '{{"value": "{}"}}',
    "export FOO={}\nmake deploy",
    "(see {})",
)


def secrets() -> list[Secret]:
    """Every type, each in a sentence of its own."""
    draw = Draw(5)
    found = [
        Secret(name, value, AROUND[place % len(AROUND)].format(value))
        for place, (name, value) in enumerate(tokens(draw))
    ]
    found += [Secret(name, value, text.format(value)) for name, value, text in _in_context(draw)]
    return found


def _in_context(draw: Draw) -> Iterator[tuple[str, str, str]]:
    weak, plain, long, key = "hunter" + "2", "sword" + "fish", draw(32), draw(40, HEX)
    jwt = "ey" + "J" + draw(33) + "." + "ey" + "J" + draw(60) + "." + draw(43, URLSAFE)
    yield "jwt", jwt, "the cookie was {} again"
    yield "jwt", jwt, "Authorization: Bearer {}"
    # Addresses.
    yield "connection-string", weak, "postgres://app:{}@db.internal:5432/app"
    yield "connection-string", plain, "DATABASE_URL=mysql+pymysql://root:{}@127.0.0.1/app"
    yield "connection-string", "p@ss/w" + "0rd", "mongodb+srv://ada:{}@cluster0.mongodb.net/test"
    yield "connection-string", weak, "redis://:{}@cache:6379/0"
    yield "connection-string", weak, "amqps://guest:{}@queue/vhost"
    yield "basic-auth", weak, "git clone https://ada:{}@git.internal/app.git"
    yield "basic-auth", long, "remote: https://x-access-token:{}@git.internal/o/r"
    # Headers.
    yield "authorization", b64encode(b"ada:" + weak.encode()).decode(), "Authorization: Basic {}"
    yield "authorization", long, 'headers={{"Authorization": "Bearer {}"}}'
    yield "authorization", key, "-H 'authorization: token {}'"
    yield "authorization", long, "it sends Bearer {} to the proxy"
    # Passwords.
    yield "password", weak, 'password = "{}"'
    yield "password", plain, "password = '{}'"
    yield "password", weak, '{{"user": "ada", "password": "{}"}}'
    yield "password", weak, r"{{\"user\": \"ada\", \"password\": \"{}\"}}"
    yield "password", weak, "db:\n  user: ada\n  password: {}\n"
    yield "password", plain, "DB_PASSWORD={}\n"
    yield "password", plain, "      MYSQL_ROOT_PASSWORD: {}\n"
    yield "password", "Tr0ub4dor" + "&3", 'passwd: "{}"'
    yield "password", "$w0rd" + "fish!", "password = '{}'"
    yield "password", "(aB3" + "#x9", 'password: "{}"'
    yield "password", weak, "SMTP_PASS={}"
    yield "password", weak, 'def connect(password: str = "{}") -> None:'
    yield "password", weak, "mysqladmin --password={} status"
    yield "password", weak, "tool login --user ada --password {}"
    yield "password", plain, "mysql -u root -p{} app"
    yield "password", plain, "sshpass -p {} ssh ada@host"
    yield "password", weak, "docker login -u ada -p {} registry.internal"
    yield "password", plain, "curl -u ada:{} https://api.internal"
    yield "password", plain, "CREATE USER ada IDENTIFIED BY '{}';"
    yield "password", weak, "CREATE ROLE ada WITH LOGIN PASSWORD '{}';"
    yield "password", weak, "The staging password is {}."
    yield "password", weak, "<password>{}</password>"
    yield "password", weak, '<add key="Password" value="{}" />'
    yield "password", weak, "Server=db;User Id=sa;Password={};Encrypt=true"
    yield "password", weak, "jdbc:postgresql://db/app?user=ada&password={}&ssl=true"
    yield "password", weak, "        - name: DB_PASSWORD\n          value: {}\n"
    yield "password", plain, 'user.set_password("{}")'
    yield "password", weak, "password := `{}`"
    yield "password", weak, "$config['password'] = '{}';"
    yield "password", weak, "machine git.internal login ada password '{}'"
    yield "password", "s3cr3t" + "!", "spring.datasource.password={}"
    # By the shape of what is around them.
    yield "password", plain, "db.internal:5432:app:ada:{}"
    yield "password", weak, "# ~/.pgpass\n*:*:*:postgres:{}\n"
    yield "password", "two " + "words here", 'password = """{}"""'
    yield "password", "over\nlines" + " 2", "DB_PASSWORD = '''\n{}\n'''"
    yield "secret", "abc " + "def 123", 'client_secret: str = """{}"""'
    yield "password", plain, 'variable "db_password" {{\n  type = string\n  default = "{}"\n}}'
    yield "password", "a{b" + "}c9", 'variable "api_token" {{\n  default = "{}"\n}}'
    yield "password", "hunter2" + "-Blue!", "the password is {} for now"
    yield "password", "Winter20" + "24!", "The password for the staging database is still {}."
    yield "password", "Sommer20" + "24!", "Das Passwort lautet {}"
    yield "password", "Geheim" + "#2024", "Passwort: {}"
    yield "password", "Tr0ub4dor" + "&3", "use {} as the password"
    yield "password", "c0rrect-h0rse" + "-9", "log in with '{}' as your admin password"
    for gap in ("\n", "\\\n    ", "\u00ad", "\r\n> ", "\u200b"):
        yield "split-token", "gh" + "p_" + draw(14) + gap + draw(22), "the key is {} then"
    yield (
        "split-token",
        "da" + "pi" + draw(8, HEX) + "\n" + draw(12, HEX) + "\n" + draw(12, HEX),
        "{}",
    )
    # Keys and tokens without a shape of their own.
    yield "secret", long, "API_KEY={}"
    yield "secret", key, 'api_key: "{}"'
    yield "secret", draw(40, BASE64), "aws_secret_access_key = {}"
    yield "secret", key, '"clientSecret": "{}",'
    yield "secret", long, "SECRET_KEY_BASE={}"
    yield "secret", long, 'os.environ["APP_TOKEN"] = "{}"'
    yield "secret", draw(16), "https://api.internal/v1/items?token={}&page=2"
    yield "secret", key, "//registry.internal/:_authToken={}"
    yield "secret", long, "X-Api-Key: {}"
    yield "secret", key, "const accessKey = '{}'"
    yield "secret", draw(12), "client_secret => '{}'"
    yield "azure-storage-key", draw(86, BASE64) + "==", "AccountName=x;AccountKey={};End"
    yield "heroku-key", "0f1e2d3c-" + "4b5a-4697-8877-66554433aabb", "HEROKU_API_KEY={}"
    bot = draw(10, "123456789") + ":A" + "A" + draw(33)
    yield "telegram-token", bot, "https://api.telegram.org/bot{}/getMe"
    yield "slack-webhook", "T0AB12CD3/B0AB12CD3/" + draw(24), "https://hooks.slack.com/services/{}"
    yield "discord-webhook", draw(68), "https://discord.com/api/webhooks/123456789012345678/{}"
    yield "high-entropy", draw(40, BASE64), "we found {} in the dump"
    yield "high-entropy", draw(32), "cookie sid={}; path=/"
    # Private keys.
    block = "\n".join(draw(64, BASE64) for _ in range(6))
    for kind in ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""):
        begin, end = (
            f"-----BEGIN {kind}PRIV" + "ATE KEY-----",
            f"-----END {kind}PRIV" + "ATE KEY-----",
        )
        yield "private-key", block, f"key:\n{begin}\n{{}}\n{end}\n"
    yield "private-key", block, "-----BEGIN PRIV" + "ATE KEY-----\n{}"
    yield "private-key", block.replace("\n", "\\n"), '"-----BEGIN PRIV' + "ATE KEY-----\\n{}"
    # People.
    yield "email", "ada.lovelace@" + "analytical.org", "Ask {}, she knows."
    yield "email", "a+b@" + "sub.example.co.uk", "From: Ada <{}>"
    yield "card-number", "4111 1111 " + "1111 1111", "Card: {}"
    yield "card-number", "5500005555" + "555559", "paid with {}."
    yield "card-number", "3782-822463" + "-10005", "amex {}"
    yield "social-security-number", "078-05-" + "1120", "SSN {}"


def negatives() -> list[str]:
    """Ordinary engineering text: nothing in a line is a secret, nothing in it may be changed."""
    lines = Path(__file__).with_name("ordinary.txt").read_text("utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines]
