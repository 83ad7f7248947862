package expr

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// domains matches words that say for which values an answer holds, as in "for all positive integers n",
// "for some integer t" or "where C is a constant". A space stands between its words and signs.
var domains = sync.OnceValue(func() [2]*regexp.Regexp {
	return [...]*regexp.Regexp{
		regexp.MustCompile(`^(?:, )?(?:\( )?(?:for|where|with) (?:(?:all|every|any|each|some) )?((?:(?:positive|negative|nonnegative|non-negative|nonzero|real|rational|whole|natural|complex|integers?|reals|rationals|numbers?|values|of) )*)([a-z])((?: , [a-z])*)(?: in set-([A-Z])(?: [_^] (?:\{ )?(?:[+*]|> 0|>= 0)(?: \})?)?| >=? \d+)?(?: ,)?(?: \))?`),
		regexp.MustCompile(`^(?:, )?(?:\( )?(?:(?:where|with|for|and) )?([A-Za-z]) (?:is |being )?(?:an? |any )?(?:arbitrary )?(?:real )?(integer|whole number|constant|number)(?: \))?$`),
	}
})

// An atom is a word or a sign of an answer, with the index of its token and whether it ends it.
type atom struct {
	text  string
	token int
	last  bool
}

// maxAtoms bounds the words of a domain.
const maxAtoms = 20

// atoms returns the words and signs of tokens from one on.
func atoms(tokens []token, i int) (all []atom) {
	for ; i < len(tokens)-1 && len(all) < maxAtoms; i++ {
		words := []string{strings.ReplaceAll(tokens[i].text, " ", "-")}
		if k := tokens[i].kind; k == kText || k == kWord {
			words = strings.Fields(strings.ToLower(strings.ReplaceAll(tokens[i].text, ",", " , ")))
		}
		for j, word := range words {
			all = append(all, atom{word, i, j == len(words)-1})
		}
	}
	return all
}

// withoutDomains drops the words that say for which values an answer holds. Of a whole number that is no
// argument of a function it writes ", k ∈ ℤ" in their place.
func withoutDomains(tokens []token) []token {
	if !slices.ContainsFunc(tokens, func(t token) bool { return t.kind == kText || t.kind == kWord }) {
		return tokens
	}
	depth := 0
	for i := range len(tokens) - 1 {
		t := tokens[i]
		if joint := strings.Trim(t.text, " ,"); t.kind == kText && (joint == "and" || joint == "or") {
			tokens[i] = token{kind: kOp, text: joint}
		}
		outside := depth == 0 && i > 0 && (t.kind == kText || t.kind == kWord || t.is(",") || t.is("("))
		depth += t.nesting()
		if !outside {
			continue
		}
		if end, whole := domain(tokens, i); end > 0 {
			rest := tokens[end:]
			if tokens = tokens[:i:i]; whole != "" {
				tokens = append(tokens, token{kind: kOp, text: ","}, token{kind: kSymbol, text: whole}, token{kind: kOp, text: "in"}, token{kind: kSymbol, text: "set Z"})
			}
			return withoutDomains(append(tokens, rest...))
		}
	}
	return tokens
}

// domain returns the index of the token after a domain that begins at a token, or 0, and its variable if
// it is a whole number.
func domain(tokens []token, i int) (end int, whole string) {
	all := atoms(tokens, i)
	var b strings.Builder
	for _, a := range all {
		b.WriteString(a.text + " ")
	}
	text := strings.TrimSpace(b.String())
	for form, pattern := range domains() {
		m := pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		n := len(strings.Fields(m[0]))
		if strings.HasSuffix(m[0], " ,") && n < len(all) {
			n--
		}
		if !all[n-1].last || n < len(all) && !listed(" , and or ; ", all[n].text) || strings.Contains(m[0], "( ") != strings.Contains(m[0], " )") {
			continue
		}
		end, variable, kind := all[n-1].token+1, m[2-form], m[1+form]
		switch {
		case argued(tokens[:i], variable):
			return end, ""
		case strings.ContainsAny(m[0], ">^_") || strings.Contains(m[0], "set-N") || strings.Contains(kind, "itive") || strings.Contains(kind, "ative") || strings.Contains(kind, "nonzero") || strings.Contains(kind, "natural"):
			return 0, ""
		case strings.Contains(m[0], "set-Z") || strings.Contains(kind, "integer") || strings.Contains(kind, "whole"):
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
