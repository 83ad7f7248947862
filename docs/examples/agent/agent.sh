#!/bin/sh
# An agent that asks once. It needs curl and jq.
jq '{model: "policy", messages}' "$QUINTAIN_PROBLEM" |
    curl -sSf "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" -d @- |
    jq '{answer: .choices[0].message.content}' >"$QUINTAIN_RESULT"
