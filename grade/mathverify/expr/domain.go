package expr

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// domains matches words that say for which values an answer holds, as in "for all positive integers n",
// "for some integer t" or "where C is a constant", up to what follows. A space stands after each word and sign.
var domains = sync.OnceValue(func() [3]*regexp.Regexp {
	return [...]*regexp.Regexp{
		regexp.MustCompile(`^(?:, )?(?:\( )?(?:for|where|with|forall) (?:(?:all|every|any|each|some) )?((?:(?:positive|negative|nonnegative|non-negative|nonzero|real|rational|whole|natural|complex|integers?|reals|rationals|numbers?|values|of) )*)([a-z]|theta|alpha|beta|lambda|phi) (?:, [a-z] )*(?:in set-[A-Z] (?:[_^] (?:\{ )?(?:[+*]|> 0|>= 0) (?:\} )?)?|>=? \d+ )?(?:, )?(?:\) )?(, |and |or |; |$)`),
		regexp.MustCompile(`^(?:, )?(?:\( )?(?:(?:where|with|for|and) )?()([A-Za-z]) (?:is |being )?(?:an? |any )?(?:arbitrary )?(?:real )?(?:integer|whole number|constant|number) (?:\) )?($)`),
		regexp.MustCompile(`^\( ()([a-z]) in set-Z \) ($)`),
	}
})

// maxDomain bounds the tokens of a domain, and the places of an answer where we look for one.
const maxDomain = 16

// withoutDomains drops the words that say for which values an answer holds. Of a whole number that is no
// argument of a function it writes ", k ∈ ℤ" in their place.
func withoutDomains(tokens []token) []token {
	if !slices.ContainsFunc(tokens, func(t token) bool { return t.kind == kText || t.kind == kWord || t.is("forall") || t.text == "set Z" }) {
		return tokens
	}
	depth, tries, kept := 0, 0, tokens[:0:0]
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if joint := strings.Trim(t.text, " ,"); t.kind == kText && (joint == "and" || joint == "or") {
			t = token{kind: kOp, text: joint}
		}
		if depth == 0 && i > 0 && tries < maxDomain && mayBeDomain(tokens[i:]) {
			tries++
			end, whole := domain(tokens, i)
			if whole != "" {
				kept = append(kept, token{kind: kOp, text: ","}, token{kind: kSymbol, text: whole}, token{kind: kOp, text: "in"}, token{kind: kSymbol, text: "set Z"})
			}
			if end > 0 {
				i = end - 1
				continue
			}
		}
		depth += t.nesting()
		kept = append(kept, t)
	}
	return kept
}

// mayBeDomain reports whether tokens begin with a word, or with a sign before one or before "x ∈".
func mayBeDomain(tokens []token) bool {
	isWord := func(t token) bool { return t.kind == kText || t.kind == kWord }
	switch t := tokens[0]; {
	case isWord(t) || t.is("forall"):
		return true
	case len(tokens) > 3 && (t.is(",") || t.is("(")):
		return isWord(tokens[1]) || tokens[1].is("forall") || tokens[1].kind == kSymbol && (isWord(tokens[2]) || tokens[2].is("in"))
	}
	return false
}

// domain returns the index of the token after a domain that begins at a token, or 0, and its variable if
// it is a whole number.
func domain(tokens []token, i int) (end int, whole string) {
	var b strings.Builder
	ends := map[int]int{} // where the words of a token end, and the index of the next
	for j := i; j < len(tokens)-1 && j < i+maxDomain; j++ {
		text := strings.ReplaceAll(tokens[j].text, " ", "-")
		if tokens[j].kind == kText || tokens[j].kind == kWord {
			text = strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(tokens[j].text, ",", " , "))), " ")
		}
		b.WriteString(text + " ")
		ends[b.Len()] = j + 1
	}
	for _, pattern := range domains() {
		loc := pattern.FindStringSubmatchIndex(b.String())
		if loc == nil || ends[loc[6]] == 0 {
			continue
		}
		said, kind, variable := b.String()[:loc[6]], b.String()[loc[2]:loc[3]], b.String()[loc[4]:loc[5]]
		end = ends[loc[6]]
		switch {
		case argued(tokens[max(0, i-4*maxDomain):i], variable) || strings.Contains(said, ">= ") && listed(" n k m ", variable):
			return end, ""
		case strings.ContainsAny(said, ">^_") || strings.Contains(said, "set-N") || strings.Contains(kind, "itive") || strings.Contains(kind, "ative") || strings.Contains(kind, "nonzero") || strings.Contains(kind, "natural"):
			return 0, ""
		case strings.Contains(said, "set-Z") || strings.Contains(said, "integer") || strings.Contains(said, "whole"):
			return end, variable
		}
		return end, ""
	}
	return 0, ""
}

// argued reports whether a variable is the argument or the index in a name that an equation defines.
func argued(tokens []token, variable string) bool {
	for i, t := range tokens {
		if t.kind != kSymbol || t.text != variable || i == 0 {
			continue
		}
		if before := tokens[i-1]; before.is("_") || i > 1 && before.is("{") && tokens[i-2].is("_") || i > 1 && (before.is("(") || before.is(",")) && slices.ContainsFunc(tokens[:i-1], func(t token) bool { return t.kind == kSymbol }) {
			return true
		}
	}
	return false
}
