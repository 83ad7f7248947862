#!/bin/bash
set -e
find etc -name '*.conf' -exec sed -E -i 's/^(([^#=:]*\.)?(api_key|password|token)( = |=|: )).*$/\1***/' {} +
