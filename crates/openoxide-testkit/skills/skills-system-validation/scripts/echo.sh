#!/usr/bin/env bash
# Shows that a script of a skill was run.
set -euo pipefail

printf '%s\n' 'REMCOCHAT_SKILLS_SCRIPT_OK'
