"""What tools print: outputs in the shapes of the real ones, and what each should teach."""

from __future__ import annotations

from typing import NamedTuple

from recollect.capture.tool_learning import Learning, learn_from


class Taught(NamedTuple):
    """A tool event that teaches something."""

    command: str
    output: str
    error: str
    category: str
    severity: str
    summary: str


PYTEST_FAILED = """\
============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.3.4, pluggy-1.5.0
rootdir: /home/ada/shop
collected 12 items

tests/test_cart.py ....F.......                                          [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_cart.py:8: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
========================= 1 failed, 11 passed in 0.12s =========================
"""
PYTEST_PASSED = """\
============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.3.4, pluggy-1.5.0
collected 12 items

tests/test_errors.py ............                                        [100%]

============================== 12 passed in 0.12s ==============================
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/ada/shop/manage.py", line 22, in <module>
    main()
  File "/home/ada/shop/.venv/lib/python3.12/site-packages/django/db/backends/base.py", line 275
    self.connect()
django.db.utils.OperationalError: connection to server at "localhost" (127.0.0.1), port 5432 \
failed: Connection refused
\tIs the server running on that host and accepting TCP/IP connections?
"""
NPM_PEER = """\
npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error
npm error While resolving: shop@1.0.0
npm error Found: react@19.0.0
npm error node_modules/react
npm error   react@"^19.0.0" from the root project
npm error
npm error Could not resolve dependency:
npm error peer react@"^18.0.0" from react-table@7.8.0
npm error
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/2026-01-02T10_00_00.log
"""
CARGO_FAILED = """\
   Compiling shop v0.1.0 (/home/ada/shop)
error[E0433]: failed to resolve: use of undeclared crate or module `serde_json`
 --> src/main.rs:3:5
  |
3 | use serde_json::Value;
  |     ^^^^^^^^^^ use of undeclared crate or module `serde_json`

For more information about this error, try `rustc --explain E0433`.
error: could not compile `shop` (bin "shop") due to 1 previous error
"""
CARGO_TEST_FAILED = """\
running 2 tests
test tests::adds ... FAILED
test tests::subtracts ... ok

failures:

---- tests::adds stdout ----

thread 'tests::adds' panicked at src/lib.rs:12:9:
assertion `left == right` failed
  left: 3
 right: 4

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
"""
GO_TEST_FAILED = """\
--- FAIL: TestTotal (0.00s)
    cart_test.go:12: Total() = 3, want 4
FAIL
FAIL\texample.com/shop/cart\t0.003s
ok  \texample.com/shop/tax\t(cached)
FAIL
"""
JEST_FAILED = """\
 FAIL  src/cart.test.ts
  ● cart › adds up prices

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      10 |     expect(total([1, 2])).toBe(4);

Test Suites: 1 failed, 4 passed, 5 total
Tests:       1 failed, 41 passed, 42 total
"""
MVN_FAILED = """\
[INFO] Scanning for projects...
[INFO] -------------------------------------------------------------
[ERROR] COMPILATION ERROR :
[INFO] -------------------------------------------------------------
[ERROR] /home/ada/shop/src/main/java/Cart.java:[12,8] cannot find symbol
  symbol:   class Money
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile
[ERROR] -> [Help 1]
"""
GRADLE_FAILED = """\
FAILURE: Build failed with an exception.

* What went wrong:
error: release version 21 not supported

BUILD FAILED in 2s
"""
DOCKER_FAILED = """\
#8 [4/6] RUN pip install -r requirements.txt
#8 2.113 ERROR: Could not find a version that satisfies the requirement torch==1.13 (from versions)
#8 2.114 ERROR: No matching distribution found for torch==1.13
------
ERROR: failed to solve: process "/bin/sh -c pip install" did not complete successfully: exit code: 1
"""

TAUGHT: tuple[Taught, ...] = (
    Taught(
        "make lint",
        "",
        "Exit code 2\nTraceback (most recent call last):\n"
        '  File "/home/ada/shop/scripts/lint.py", line 3, in <module>\n    import tomli\n'
        "ModuleNotFoundError: No module named 'tomli'\nmake: *** [Makefile:4: lint] Error 1",
        "error",
        "sev-1",
        "`make lint` failed: ModuleNotFoundError: No module named 'tomli'",
    ),
    Taught(
        "python -m pytest -q",
        "",
        "Exit code 1\n" + PYTEST_FAILED,
        "error",
        "sev-1",
        "`python -m pytest -q` failed: test_total: assert 3 == 4",
    ),
    Taught(
        "cd /home/ada/shop && pytest 2>&1 | tail -20",
        PYTEST_FAILED,
        "",
        "error",
        "sev-0",
        "`pytest` failed: test_total: assert 3 == 4",
    ),
    Taught(
        "python manage.py migrate",
        "",
        "Exit code 1\n" + TRACEBACK,
        "error",
        "sev-2",
        "`python manage.py migrate` failed: django.db.utils.OperationalError: connection to "
        "server at…",
    ),
    Taught(
        "npm install",
        "",
        "Exit code 1\n" + NPM_PEER,
        "error",
        "sev-1",
        "`npm install` failed: ERESOLVE unable to resolve dependency tree",
    ),
    Taught(
        "npm run lint",
        "",
        'Exit code 1\nnpm error Missing script: "lint"\nnpm error\nnpm error To see a list '
        "of scripts",
        "error",
        "sev-1",
        '`npm run lint` failed: Missing script: "lint"',
    ),
    Taught(
        "cargo build",
        "",
        "Exit code 101\n" + CARGO_FAILED,
        "error",
        "sev-1",
        "`cargo build` failed: failed to resolve: use of undeclared crate or module 'serde_json'",
    ),
    Taught(
        "cargo test",
        "",
        "Exit code 101\n" + CARGO_TEST_FAILED,
        "error",
        "sev-1",
        "`cargo test` failed: panicked at src/lib.rs:12:9: assertion 'left == right' failed",
    ),
    Taught(
        "go test ./...",
        "",
        "Exit code 1\n" + GO_TEST_FAILED,
        "error",
        "sev-1",
        "`go test ./...` failed: TestTotal: cart_test.go:12: Total() = 3, want 4",
    ),
    Taught(
        "go build ./...",
        "",
        "Exit code 1\n# example.com/shop/cart\ncart/cart.go:14:9: undefined: sumOf",
        "error",
        "sev-1",
        "`go build ./...` failed: undefined: sumOf",
    ),
    Taught(
        "npx jest",
        "",
        "Exit code 1\n" + JEST_FAILED,
        "error",
        "sev-1",
        "`npx jest` failed: cart › adds up prices: expect(received).toBe(expected) // "
        "Object.is equality",
    ),
    Taught(
        "npx tsc --noEmit",
        "",
        "Exit code 2\nsrc/cart.ts(12,7): error TS2322: Type 'string' is not assignable to type "
        "'number'.\nsrc/tax.ts(3,1): error TS2304: Cannot find name 'rate'.",
        "error",
        "sev-1",
        "`npx tsc --noEmit` failed: Type 'string' is not assignable to type 'number'.",
    ),
    Taught(
        ".venv/bin/mypy src",
        "",
        "Exit code 1\nsrc/shop/cart.py:12: error: Incompatible return value type (got "
        '"None", expected "int")  [return-value]\nFound 1 error in 1 file (checked 9 source files)',
        "error",
        "sev-1",
        '`mypy src` failed: Incompatible return value type (got "None", expected "int") '
        "[return-value]",
    ),
    Taught(
        "mvn -q compile",
        "",
        "Exit code 1\n" + MVN_FAILED,
        "error",
        "sev-1",
        "`mvn -q compile` failed: /home/ada/shop/src/main/java/Cart.java:[12,8] cannot find symbol",
    ),
    Taught(
        "./gradlew build",
        "",
        "Exit code 1\n" + GRADLE_FAILED,
        "discovery",
        "sev-1",
        "`./gradlew build` failed: release version 21 not supported",
    ),
    Taught(
        "docker build -t shop .",
        "",
        "Exit code 1\n" + DOCKER_FAILED,
        "error",
        "sev-1",
        "`docker build -t shop .` failed: Could not find a version that satisfies the requirement…",
    ),
    Taught(
        "docker compose up -d",
        "",
        "Exit code 1\nCannot connect to the Docker daemon at unix:///var/run/docker.sock. "
        "Is the docker "
        "daemon running?",
        "error",
        "sev-1",
        "`docker compose up -d` failed: Cannot connect to the Docker daemon at "
        "unix:///var/run/docker.sock.…",
    ),
    Taught(
        "git push origin main",
        "",
        "Exit code 1\nTo github.com:ada/shop.git\n ! [rejected]        main -> main (fetch first)\n"
        "error: failed to push some refs to 'github.com:ada/shop.git'\n"
        "hint: Updates were rejected because the remote contains work that you do not have "
        "locally.",
        "error",
        "sev-1",
        "`git push origin main` failed: ! [rejected] main -> main (fetch first)",
    ),
    Taught(
        "git merge feature",
        "",
        "Exit code 1\nAuto-merging src/cart.py\nCONFLICT (content): Merge conflict in src/cart.py\n"
        "Automatic merge failed; fix conflicts and then commit the result.",
        "error",
        "sev-1",
        "`git merge feature` failed: CONFLICT (content): Merge conflict in src/cart.py",
    ),
    Taught(
        "uv run ruff check .",
        "",
        "Exit code 127\n/bin/bash: line 1: uv: command not found",
        "error",
        "sev-1",
        "`uv run ruff check .` failed: uv: command not found",
    ),
    Taught(
        "rg --files | head",
        "",
        "Exit code 127\nzsh: command not found: rg",
        "error",
        "sev-1",
        "`rg --files` failed: command not found: rg",
    ),
    Taught(
        "pip install -e .",
        "",
        "Exit code 1\nERROR: Package 'shop' requires a different Python: 3.9.6 not in '>=3.11'",
        "discovery",
        "sev-1",
        "`pip install -e .` failed: Package 'shop' requires a different Python: 3.9.6 not "
        "in '>=3.11'",
    ),
    Taught(
        "node dist/server.js",
        "",
        "Exit code 1\nnode:net:1937\n      const ex = new UVExceptionWithHostPort(err, "
        "'listen');\n\n"
        "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle",
        "error",
        "sev-2",
        "`node dist/server.js` failed: listen EADDRINUSE: address already in use :::3000",
    ),
    Taught(
        "node scripts/seed.mjs",
        "",
        "Exit code 1\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'pg' imported from "
        "/home/ada/shop/scripts/seed.mjs",
        "error",
        "sev-1",
        "`node scripts/seed.mjs` failed: Cannot find package 'pg' imported from…",
    ),
    Taught(
        "gcc -o cart cart.c -lcurl",
        "",
        "Exit code 1\ncart.c:3:10: fatal error: curl/curl.h: No such file or directory\n    "
        "3 | #include",
        "error",
        "sev-1",
        "`gcc -o cart cart.c -lcurl` failed: curl/curl.h: No such file or directory",
    ),
    Taught(
        "make -j4 all",
        "",
        "Exit code 2\nmake: *** No rule to make target 'src/tax.o', needed by 'all'.  Stop.",
        "error",
        "sev-1",
        "`make -j4 all` failed: No rule to make target 'src/tax.o', needed by 'all'. Stop.",
    ),
    Taught(
        "./bench",
        "",
        "Exit code 139\n/bin/bash: line 1: 4711 Segmentation fault      (core dumped) ./bench",
        "error",
        "sev-1",
        "`./bench` failed: Segmentation fault",
    ),
    Taught(
        "npm test",
        "",
        "Command timed out after 2m 0.0s\n> shop@1.0.0 test\n> vitest",
        "error",
        "sev-2",
        "`npm test` did not finish within 2m 0.0s.",
    ),
    Taught(
        "./scripts/deploy.sh staging",
        "",
        "Exit code 4\nThe staging cluster only accepts images that are signed.",
        "error",
        "sev-1",
        "`./scripts/deploy.sh staging` failed: The staging cluster only accepts images that "
        "are signed.",
    ),
    Taught(
        "make test || true",
        "python -m pytest\nImportError while loading conftest\n"
        "E   ModuleNotFoundError: No module named 'freezegun'\nmake: *** [Makefile:9: test] "
        "Error 4",
        "",
        "error",
        "sev-0",
        "`make test` failed: ModuleNotFoundError: No module named 'freezegun'",
    ),
    Taught(
        "npm install --legacy-peer-deps",
        "\nadded 312 packages, and audited 313 packages in 9s\n\nfound 0 vulnerabilities\n",
        "",
        "workaround",
        "sev-2",
        "`npm install --legacy-peer-deps` went through: --legacy-peer-deps works around "
        "conflicts of peer…",
    ),
    Taught(
        "pytest -q",
        "............                                  [100%]\n"
        "=============================== warnings summary ===============================\n"
        "src/shop/clock.py:9: DeprecationWarning: datetime.utcnow() is deprecated and "
        "scheduled for "
        "removal\n12 passed, 1 warning in 0.10s",
        "",
        "warning",
        "sev-2",
        "`pytest -q` warns: DeprecationWarning: datetime.utcnow() is deprecated and "
        "scheduled for removal",
    ),
    Taught(
        "git push",
        "remote: This repository moved. Please use the new location:\n"
        "remote:   git@github.com:shop/cart.git\nTo github.com:ada/cart.git\n   "
        "1a2b3c4..5d6e7f8  main -> main",
        "",
        "discovery",
        "sev-2",
        "`git push` reports: This repository moved. Please use the new location:",
    ),
    Taught(
        "docker run --rm shop",
        "WARNING: The requested image's platform (linux/amd64) does not match the detected host "
        "platform (linux/arm64/v8)\nready",
        "",
        "discovery",
        "sev-2",
        "`docker run --rm shop` reports: The requested image's platform (linux/amd64) does not "
        "match the…",
    ),
)


class Routine(NamedTuple):
    """A tool event that teaches nothing."""

    tool: str
    command: str
    output: str
    error: str = ""


ROUTINE: tuple[Routine, ...] = (
    Routine(
        "Bash", "ls -la", "total 8\ndrwxr-xr-x 2 ada ada 4096 Jan 1 10:00 errors\n-rw- error.log"
    ),
    Routine("Bash", "git status --short", " M src/cart.py\n?? src/tax.py"),
    Routine("Bash", "git status", "On branch main\nnothing to commit, working tree clean"),
    Routine("Bash", "mkdir -p build", ""),
    Routine(
        "Bash",
        "grep -rn Error src | head",
        "src/a.py:3:class CartError(Exception):\nsrc/b.py:9: error",
    ),
    Routine("Bash", "grep -rn nothing src", "", "Exit code 1"),
    Routine("Bash", "rg 'panic' -n", "main.go:3: panic: not reached\nerror: failed"),
    Routine(
        "Bash", "cat build.log | tail -50", "error: could not compile\nmake: *** [all] Error 2"
    ),
    Routine("Bash", "tail -100 server.log", TRACEBACK),
    Routine("Bash", "docker logs web | tail", TRACEBACK),
    Routine(
        "Bash",
        "git log --oneline -5",
        "1a2b3c4 fix: error when the cart is empty\n5d6e7f8 fatal: no",
    ),
    Routine("Bash", "git diff HEAD~1", "+    raise ValueError('failed')\n-error: old"),
    Routine(
        "Bash", "gh pr view 12 --json body", '{"body": "Error: it failed. This is deprecated"}'
    ),
    Routine("Bash", "pytest -q", PYTEST_PASSED),
    Routine("Bash", "pytest 2>&1 | tail -3", "============ 12 passed in 0.12s ============"),
    Routine(
        "Bash",
        "cargo test",
        "running 3 tests\ntest errors::shown ... ok\n\ntest result: ok. 3 passed; 0 failed",
    ),
    Routine(
        "Bash",
        "go test ./...",
        "ok  \texample.com/shop/errors\t0.3s\n?   \texample.com/shop\t[no test files]",
    ),
    Routine("Bash", "npm test", "PASS src/error.test.ts\nTests:       12 passed, 12 total\n"),
    Routine("Bash", "mise run lint 2>&1 | tail", "[lint] $ golangci-lint run ./...\n0 issues."),
    Routine(
        "Bash",
        "ruff check . && mypy src",
        "All checks passed!\nSuccess: no issues found in 9 source files",
    ),
    Routine(
        "Bash",
        "npm ci",
        "npm warn deprecated inflight@1.0.6: This module is not supported\nadded 9 packages",
    ),
    Routine("Bash", "npm run build", "vite v5.0.0 building\n✓ built in 1.2s"),
    Routine(
        "Bash",
        "cargo build",
        "warning: unused variable: `x`\n --> src/main.rs:2:9\n    Finished dev",
    ),
    Routine(
        "Bash",
        "git commit -m 'fix: error in the cart'",
        "[main 1a2b3c4] fix: error in the cart\n 1 file changed",
    ),
    Routine("Bash", "git push", "To github.com:ada/shop.git\n   1a2b3c4..5d6e7f8  main -> main"),
    Routine(
        "Bash",
        'python -c "import shop; shop.run()"',
        "",
        "Exit code 1\nAttributeError: no attribute 'run'",
    ),
    Routine(
        "Bash",
        "python3 - <<'E'\nprint(x)\nE",
        "",
        "Exit code 1\nNameError: name 'x' is not defined",
    ),
    Routine(
        "Bash",
        "ls missing",
        "",
        "Exit code 2\nls: cannot access 'missing': No such file or directory",
    ),
    Routine("Bash", "cat nope.txt", "", "Exit code 1\ncat: nope.txt: No such file or directory"),
    Routine(
        "Bash",
        "pytest --bogus",
        "",
        "Exit code 4\nERROR: usage: pytest [options]\npytest: error: unrecognized "
        "arguments: --bogus",
    ),
    Routine(
        "Bash",
        "cargo tset",
        "",
        "Exit code 101\nerror: no such command: `tset`\n\n\thelp: a command with a similar "
        "name: `test`",
    ),
    Routine(
        "Bash",
        "git checkout nope",
        "",
        "Exit code 1\nerror: pathspec 'nope' did not match any file(s) known to git",
    ),
    Routine("Bash", "diff a b", "", "Exit code 1\n3c3\n< error: one\n---\n> error: two"),
    Routine("Bash", "make test", "", "Exit code 130\n^C"),
    Routine("Bash", "make test", "", "[Request interrupted by user for tool use]"),
    Routine("Bash", "rm -rf build", "", "The user doesn't want to proceed with this tool use."),
    Routine("Bash", "echo boom >&2; exit 3", "", "Exit code 3\nboom"),
    Routine("Bash", "false", "", "Exit code 1"),
    Routine(
        "Bash", "npm run dev", "", "Command timed out after 2m 0.0s\nready on http://localhost:3000"
    ),
    Routine(
        "Read",
        "",
        "",
        "File does not exist. Note: your current working directory is /home/ada/shop.",
    ),
    Routine(
        "Edit", "", "", "<tool_use_error>String to replace not found in file.</tool_use_error>"
    ),
    Routine("Read", "", TRACEBACK),
    Routine("Grep", "", "src/cart.py:3: raise ValueError('failed')"),
    Routine("Agent", "", "The build fails with error: No module named 'tomli'"),
    Routine("WebFetch", "", "", "Request failed with status code 404"),
    Routine("TodoWrite", "", "Todos have been modified successfully"),
)


def failed(command: str, error: str) -> Learning:
    """What a command that failed teaches."""
    learning = learn_from("Bash", command, (), "", "Exit code 1\n" + error)

    assert learning is not None
    return learning
