package expr

import (
	"slices"
	"strings"
)

// withoutRemarks drops the words that introduce an answer, and those that follow it and say
// nothing about it.
func withoutRemarks(tokens []token) []token {
	if t := tokens[0]; t.kind == kText && introduces(t.text) && tokens[1].kind != kEnd {
		tokens = tokens[1:]
	}
	depth := 0
	for i, t := range tokens[:len(tokens)-1] {
		if depth == 0 && i > 0 && (t.kind == kText || t.kind == kWord || t.is("(") || t.is(",")) {
			if cut := remarkAt(tokens, i); cut != nil {
				return cut
			}
		}
		depth += t.nesting()
	}
	return tokens
}

// nesting returns 1 for a token that opens brackets, and -1 for one that closes them.
func (t token) nesting() int {
	switch t.kind {
	case kBegin:
		return 1
	case kFinish:
		return -1
	case kOp:
		switch t.text {
		case "(", "[", "{", "set{":
			return 1
		case ")", "]", "}", "set}":
			return -1
		}
	}
	return 0
}

// remarkAt returns the tokens before a remark, or with the same value in brackets as an
// alternative; nil for anything else.
func remarkAt(tokens []token, i int) []token {
	end := token{kind: kEnd}
	switch {
	case aside(tokens, i) || remark(tokens[i], tokens[i+1]) && !slices.ContainsFunc(tokens[i+1:], func(t token) bool { return t.kind == kText }):
		return append(tokens[:i:i], end)
	case restated(tokens, i):
		return append(append(append(tokens[:i:i], token{kind: kOp, text: "or"}), tokens[i+1:len(tokens)-2]...), end)
	}
	return nil
}

// aside reports whether the rest of an answer is an approximation in brackets, or says for which
// values it is not defined.
func aside(tokens []token, i int) bool {
	t, next := tokens[i], tokens[i+1]
	bracket := t.is("(") && tokens[len(tokens)-2].is(")")
	word := ""
	if t.kind == kText {
		word = strings.Join(strings.Fields(strings.ToLower(t.text)), " ")
	}
	switch {
	case bracket && next.is("~"):
		return true
	case t.is(",") || bracket || t.kind == kText && (listed(" for where with ", word)):
		return excludes(tokens, i+1) && !slices.ContainsFunc(tokens[:i], func(t token) bool { return t.kind == kOp && relations[t.text] != "" && t.text != "=" })
	}
	return false
}

// excludes reports whether only "x ≠ value" follows.
func excludes(tokens []token, n int) bool {
	if tokens[n].kind != kSymbol || !tokens[min(n+1, len(tokens)-1)].is("!=") {
		return false
	}
	return !slices.ContainsFunc(tokens[n+2:], func(t token) bool {
		return t.is(",") || t.is("or") || t.is("and") || t.kind == kOp && relations[t.text] != ""
	})
}

// restated reports whether the rest of an answer is the same value once more, as in "(or 0.5)" or
// "(50%)".
func restated(tokens []token, i int) bool {
	end := len(tokens) - 2
	if !tokens[i].is("(") || !tokens[end].is(")") || end-i > 4 {
		return false
	}
	return tokens[i+1].is("or") && tokens[i+2].kind == kNumber || tokens[i+1].kind == kNumber && tokens[i+2].is("%") && end == i+3
}

// introduces reports whether words lead to the answer, as in "The answer is".
func introduces(text string) bool {
	low := strings.ToLower(text)
	if low == "only" {
		return true
	}
	for _, word := range strings.Fields(low) {
		if listed(conditions, strings.Trim(word, ".,:")) {
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
