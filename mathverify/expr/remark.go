package expr

import "strings"

// withoutRemarks drops the words that introduce an answer, and those that follow it and say
// nothing about it.
func withoutRemarks(tokens []token) []token {
	if t := tokens[0]; t.kind == kText && introduces(t.text) && tokens[1].kind != kEnd {
		tokens = tokens[1:]
	}
	depth := 0
	for i, t := range tokens[:len(tokens)-1] {
		switch {
		case t.is("(") && depth == 0 && i > 0 && tokens[i+1].is("~") && tokens[len(tokens)-2].is(")"),
			depth == 0 && i > 0 && remark(t, tokens[i+1]):
			return append(tokens[:i:i], token{kind: kEnd})
		case t.kind == kBegin || t.kind == kOp && listed(" ( [ { set{ ", t.text):
			depth++
		case t.kind == kFinish || t.kind == kOp && listed(" ) ] } set} ", t.text):
			depth--
		}
	}
	return tokens
}

// introduces reports whether words lead to the answer, as in "The answer is".
func introduces(text string) bool {
	low := strings.ToLower(text)
	for _, word := range strings.Fields(low) {
		if listed(conditions, word) {
			return false
		}
	}
	return strings.HasSuffix(low, ":") || strings.HasSuffix(low, " is") || strings.HasSuffix(low, " are") || strings.HasSuffix(low, " equals")
}

// remark reports whether a token begins a remark.
func remark(t, next token) bool {
	if t.kind != kText && t.kind != kWord {
		return false
	}
	words := strings.Fields(strings.ToLower(strings.Trim(t.text, " ,.;()")))
	if t.kind == kWord && next.kind == kWord {
		words = append(words, strings.ToLower(next.text))
	}
	if len(words) == 0 {
		return false
	}
	for _, word := range words {
		if word != "to" && (listed(conditions, word) || word == "and" || word == "or" || word == "answer") {
			return false
		}
	}
	switch words[0] {
	case "since", "because":
		return true
	case "as":
		return len(words) > 1 && listed(" required desired claimed needed wanted expected stated shown asserted before above requested asked ", words[1])
	case "so", "by", "which", "hence", "thus", "q.e.d", "qed":
		return t.kind == kText && next.kind == kEnd
	}
	return false
}
