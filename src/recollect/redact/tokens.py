"""Tokens with a vendor-specific format, mostly a prefix, so that they can be found.

The formats come from the published rules of gitleaks, and a few that it lacks from general
knowledge. Lengths are a little wider, because vendors change them.
"""

from __future__ import annotations

from recollect.redact.rule import Rule
from recollect.redact.values import is_real_token

_START = r"(?<![A-Za-z0-9_])"
_ALNUM = "[A-Za-z0-9]"
_URLSAFE = r"[A-Za-z0-9_-]"
_BASE64 = "[A-Za-z0-9+/]"
_HEX = "[0-9a-f]"


def _token(name: str, pattern: str, *anchors: str) -> Rule:
    """Make a rule for a token that starts with an anchor of at least three characters."""
    return Rule(name, _START + pattern, anchors, check=is_real_token, shows_ends=True)


def _within(name: str, pattern: str, *parts: str) -> Rule:
    """Make a rule for a token whose distinctive part is not at its start."""
    return Rule(name, pattern, within=parts, check=is_real_token, shows_ends=True)


# (name, pattern, how it starts). One line per token, ordered by vendor.
TOKENS: tuple[Rule, ...] = (
    _token("1password-token", rf"ops_eyJ{_BASE64}{{100,}}", "ops_eyj"),
    _token("1password-key", r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}", "a3-"),
    _token("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}", "age-secret-key-1"),
    _token("airtable-token", rf"pat{_ALNUM}{{14}}\.{_HEX}{{64}}", "pat"),
    _token("alibaba-key", rf"LTAI{_ALNUM}{{12,26}}(?!{_ALNUM})", "ltai"),
    _token("anthropic-key", rf"sk-ant-{_URLSAFE}{{20,}}", "sk-ant-"),
    _token(
        "atlassian-token",
        rf"AT(?:ATT3x|CTT3x|BB){_URLSAFE}{{24,}}=?{_HEX}{{0,8}}",
        "atatt3x",
        "atctt3x",
        "atbb",
    ),
    _token(
        "aws-access-key",
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        "a3t",
        "akia",
        "asia",
        "abia",
        "acca",
    ),
    _token("aws-bedrock-key", rf"ABSK{_BASE64}{{100,}}={{0,2}}", "absk"),
    _within(
        "azure-client-secret",
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])",
        "q~",
    ),
    _token("azure-storage-key", rf"AccountKey=({_BASE64}{{60,100}}={{0,2}})", "accountkey="),
    _token("azure-sas", r"sig=([A-Za-z0-9%+/_-]{40,}={0,2})", "sig="),
    _token("buildkite-token", rf"bk(?:ua|aj|ct)_{_ALNUM}{{20,}}", "bkua_", "bkaj_", "bkct_"),
    _token("circleci-token", rf"CCI(?:PAT|PRJ)_{_ALNUM}{{16,}}_{_HEX}{{40}}", "ccipat_", "cciprj_"),
    _token("clojars-token", rf"CLOJARS_{_ALNUM}{{40,}}", "clojars_"),
    _token("cloudflare-key", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}", "v1.0-"),
    _token("databricks-token", rf"dapi{_HEX}{{32}}(?:-\d)?", "dapi"),
    _token("digitalocean-token", rf"do[opr]_v1_{_HEX}{{40,}}", "doo_v1_", "dop_v1_", "dor_v1_"),
    _within(
        "discord-token",
        # A leading letter lets the search skip; the lookbehind then checks the character before it.
        rf"[MNO](?<![A-Za-z0-9_.-].){_URLSAFE}{{23,25}}\.{_URLSAFE}{{6}}\.{_URLSAFE}{{27,40}}",
    ),
    _token(
        "discord-webhook",
        rf"discord(?:app)?\.com/api/webhooks/\d{{10,}}+/({_URLSAFE}{{40,}})",
        "discord",
    ),
    _token("docker-token", rf"dckr_(?:pat|oat)_{_URLSAFE}{{20,}}", "dckr_"),
    _token("doppler-token", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.{_URLSAFE}[\w.-]{{30,}}", "dp."),
    _token("dropbox-token", rf"sl\.(?:u\.)?{_URLSAFE}{{100,}}", "sl."),
    _token("dynatrace-token", rf"dt0[a-z]\d\d\.{_ALNUM}{{8,24}}\.{_ALNUM}{{64}}", "dt0"),
    _token("facebook-token", rf"EAA{_ALNUM}{{80,}}", "eaa"),
    _token("figma-token", rf"fig[duor]{{1,2}}_{_URLSAFE}{{36,}}", "fig"),
    _token(
        "fly-token",
        rf"(?:fo1_{_URLSAFE}{{40,}}|fm[12][ar]?_{_BASE64}{{80,}}={{0,2}})",
        "fo1_",
        "fm1",
        "fm2",
    ),
    _token("gcp-api-key", rf"AIza{_URLSAFE}{{30,}}", "aiza"),
    _token("gcp-oauth-token", r"ya29\.[A-Za-z0-9_.-]{20,}", "ya29."),
    _token("gcp-refresh-token", rf"1//0{_URLSAFE}{{40,}}", "1//0"),
    _token("gcp-client-secret", rf"GOCSPX-{_URLSAFE}{{20,}}", "gocspx-"),
    _token(
        "github-token",
        r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,})",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
    ),
    _token(
        "gitlab-token",
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_.-]{18,}|GR1348941[\w-]{18,})",
        "glpat-",
        "gldt-",
        "glrt-",
        "glcbt-",
        "glptt-",
        "glft-",
        "glimt-",
        "glagent-",
        "gloas-",
        "glsoat-",
        "glffct-",
        "glwt-",
        "gr1348941",
    ),
    _token(
        "grafana-token",
        rf"(?:glsa_{_ALNUM}{{32}}_{_HEX}{{8}}|glc_{_BASE64}{{32,}}={{0,2}})",
        "glsa_",
        "glc_",
    ),
    _token("groq-key", rf"gsk_{_ALNUM}{{40,}}", "gsk_"),
    _token("heroku-key", rf"HRKU-{_URLSAFE}{{30,}}", "hrku-"),
    _token(
        "heroku-key",
        r"(?i:heroku)[\w. \t-]{0,30}[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
        r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        "heroku",
    ),
    _token("huggingface-token", rf"(?:hf|api_org)_{_ALNUM}{{30,}}", "hf_", "api_org_"),
    _token("jfrog-key", rf"(?:AKCp{_ALNUM}{{60,}}|cmVmd{_ALNUM}{{50,}})", "akcp", "cmvmd"),
    _token("langsmith-key", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}", "lsv2_"),
    _token("linear-key", rf"lin_(?:api|oauth)_{_ALNUM}{{32,}}", "lin_"),
    _within("mailchimp-key", rf"(?<![A-Za-z0-9]){_HEX}{{32}}-us\d{{1,2}}(?![A-Za-z0-9])", "-us"),
    _token("mailgun-key", rf"(?:pub)?key-{_HEX}{{32}}(?!{_ALNUM})", "key-", "pubkey-"),
    _token("netlify-token", rf"nfp_{_ALNUM}{{36,}}", "nfp_"),
    _token(
        "newrelic-key", rf"NR(?:AK|JS|II|RA)-{_URLSAFE}{{19,}}", "nrak-", "nrjs-", "nrii-", "nrra-"
    ),
    _token(
        "notion-token",
        rf"(?:ntn_{_ALNUM}{{40,}}|secret_{_ALNUM}{{43}}(?!{_ALNUM}))",
        "ntn_",
        "secret_",
    ),
    _token("npm-token", rf"npm_{_ALNUM}{{36,}}", "npm_"),
    _token("nuget-key", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])", "oy2"),
    # Also OpenRouter, DeepSeek and others with the same prefix.
    _token(
        "openai-key",
        rf"sk-(?:(?:proj|svcacct|admin|None|or-v1|lf)-{_URLSAFE}{{20,}}|{_ALNUM}{{32,}})",
        "sk-",
    ),
    _token("openshift-token", rf"sha256~{_URLSAFE}{{40,}}", "sha256~"),
    _token(
        "paypal-token",
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
        "access_token$",
    ),
    _token("perplexity-key", rf"pplx-{_ALNUM}{{40,}}", "pplx-"),
    _token("planetscale-token", r"pscale_(?:tkn|oauth|pw)_[\w.=-]{32,}", "pscale_"),
    _token("postman-key", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}", "pmak-"),
    _token("pulumi-token", rf"pul-{_HEX}{{40}}", "pul-"),
    _token("pypi-token", rf"pypi-{_URLSAFE}{{50,}}", "pypi-"),
    _token("recollect-token", rf"rct_{_URLSAFE}{{43}}(?!{_URLSAFE})", "rct_"),
    _token("replicate-token", rf"r8_{_ALNUM}{{36,}}", "r8_"),
    _token("rubygems-token", rf"rubygems_{_HEX}{{48}}", "rubygems_"),
    _token("sendgrid-key", rf"SG\.{_URLSAFE}{{16,32}}\.{_URLSAFE}{{30,}}", "sg."),
    _token(
        "sendinblue-key", rf"x(?:key|smtp)sib-{_HEX}{{64}}-{_ALNUM}{{16}}", "xkeysib-", "xsmtpsib-"
    ),
    _token("sentry-token", r"sntry[us]_[A-Za-z0-9+/=_-]{40,}", "sntry"),
    _token("shopify-token", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32,}", "shp"),
    _token("slack-token", r"(?:xox[a-z]-|xoxe\.xox[bp]-|xapp-)[A-Za-z0-9-]{10,}", "xox", "xapp-"),
    _token(
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,})",
        "hooks.slack.com/",
    ),
    _token("sonar-token", rf"sq[apu]_{_HEX}{{40}}", "sqa_", "sqp_", "squ_"),
    _token("sourcegraph-token", rf"sgp_(?:{_ALNUM}{{5,16}}_)?{_HEX}{{40}}", "sgp_"),
    _token(
        "square-token", rf"(?:sq0[a-z]{{3}}-{_URLSAFE}{{22,}}|EAAA{_URLSAFE}{{60}})", "sq0", "eaaa"
    ),
    _token(
        "stripe-key",
        rf"(?:[sr]k_(?:live|test|prod)_{_ALNUM}{{16,}}|whsec_[A-Za-z0-9+/]{{24,}}=?)",
        "sk_",
        "rk_",
        "whsec_",
    ),
    _token(
        "supabase-key", rf"(?:sbp_{_HEX}{{40}}|sb_secret_{_URLSAFE}{{20,}})", "sbp_", "sb_secret_"
    ),
    _token("tailscale-key", rf"tskey-[a-z]{{2,10}}-{_URLSAFE}{{16,}}", "tskey-"),
    _token(
        "teams-webhook",
        r"webhook\.office\.com/webhookb2/([0-9a-zA-Z@/-]{60,})",
        "webhook.office.com/",
    ),
    _within(
        "telegram-token",
        rf"(?:(?<=bot)|(?<![A-Za-z0-9]))\d{{8,10}}:AA{_URLSAFE}{{32,34}}(?!{_URLSAFE})",
        ":aa",
    ),
    _within(
        "terraform-token",
        rf"(?<!{_ALNUM}){_ALNUM}{{14}}\.atlasv1\.{_URLSAFE}{{60,70}}",
        ".atlasv1.",
    ),
    _token("twilio-key", rf"SK{_HEX}{{32}}(?!{_ALNUM})", "sk"),
    _token("typeform-token", rf"tfp_{_URLSAFE}[\w.=-]{{40,}}", "tfp_"),
    _token("vault-token", rf"hv[sbr]\.{_URLSAFE}{{24,}}", "hvs.", "hvb.", "hvr."),
    _token("xai-key", rf"xai-{_ALNUM}{{60,}}", "xai-"),
    _token(
        "zapier-webhook",
        r"hooks\.zapier\.com/hooks/catch/(\d+/[A-Za-z0-9]{5,})",
        "hooks.zapier.com/",
    ),
)
