#!/bin/sh
# Keep what the client says to a hook: one file per call, complete or absent. Answer nothing.
file=$(mktemp "$HOOK_RECORDS/hook.XXXXXX") && cat > "$file" && mv "$file" "$file.json"
