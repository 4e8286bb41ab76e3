#!/bin/sh
# The client that the MCP conformance suite runs: its last argument is the address of the suite's server. Only commands of
# the product are called, as a person would. OPENOXIDE is the program; HOME is a scratch folder.
set -eu
for url in "$@"; do :; done
openoxide() {
    "$OPENOXIDE" "$@" --config "mcp.servers.suite.url=\"$url\""
}
skill=mcp:suite/pdf-processing
openoxide list --mcp
openoxide show "$skill"
case "$MCP_CONFORMANCE_SCENARIO" in
*-no-prefetch) ;;
*)
    # What is refused here must keep the next line from being reached.
    openoxide activate "$skill" --yes
    openoxide read "$skill" references/FORMS.md --as model --yes
    ;;
esac
