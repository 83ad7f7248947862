package reply

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// struck matches text that the reply strikes out.
var struck = compiled.Regexp(`~~[^~\n]+~~|<(?:s|del|strike)>[^<\n]*</(?:s|del|strike)>|\\(?:sout|st|cancel|xcancel|bcancel)\{[^{}]*\}`)

// withoutStruck drops what a reply strikes out, unless that is a factor of a formula.
func withoutStruck(text string) string {
	if !strings.Contains(text, "~~") && !strings.Contains(text, "</") && !strings.Contains(text, `\sout`) && !strings.Contains(text, `\st{`) {
		return text
	}
	return struck().ReplaceAllString(text, "")
}

// english lists words of which an English reply has one, and a reply in a language with a decimal comma none.
const english = " the of and is are were to by for with from it you this that there has have gets get then thus hence each answer value values roots if we he she they "

// writesCommas reports whether a text is in a language with a decimal comma: its last statement is, or it has some
// words of an alphabet, and none is English.
func writesCommas(text string) bool {
	low := lower(text)
	if marks := cues(low, states); marks != nil && marks[len(marks)-1].form == decimalComma {
		return true
	}
	words := 0
	for _, word := range strings.Fields(low) {
		word = strings.Trim(word, ".,:;!?*_()\"")
		if listed(english, word) {
			return false
		}
		if r := first(word); len(word) > 1 && unicode15.IsLetter(r) && !dense(r) {
			words++
		}
	}
	return words > 1
}

// decimals matches a number with a decimal comma: fewer or more than three digits follow it.
var decimals = compiled.Regexp(`(^|[^\d.,(\[{])(\d+),(\d{1,2}|\d{4,})($|[^\d,)\]}]|,\D)`)

// withPoints writes decimal points for the decimal commas of a text.
func withPoints(text string) string { return decimals().ReplaceAllString(text, "$1$2.$3$4") }

// bracedComma matches a decimal comma in braces.
var bracedComma = compiled.Regexp(`(\d)\{,\}(\d{1,2}|\d{4,})($|\D)`)

// withPoint writes decimal points for the commas in braces that separate no groups of three digits.
func withPoint(text string) string {
	if !strings.Contains(text, "{,}") {
		return text
	}
	return bracedComma().ReplaceAllString(text, "$1.$2$3")
}

// chance matches one of several.
var chance = compiled.Regexp(`(?i)\b(?:one|1) (?:in|out of)(?: every)? (\d+)(?:[.,;!)]|$| [a-z]+ is\b)`)

// counted matches a number in Chinese characters before a word that counts, or at the end of a sentence.
var counted = compiled.Regexp(`(^|[^第零一二两三四五六七八九十百])([二两兩三四五六七八九十][一二三四五六七八九十]{0,2}|零)(个|個|种|種|通り|人|本|枚|条|條|只|块|元|岁|歳|次|組|组|题|张|头|匹|回|つ|箱|棵|朵|支|厘米|米|円|秒|天|日|です|。|\s*$)`)

// withDigits writes the numbers from two on that a text without digits has in words in digits.
func withDigits(text string) string {
	if strings.ContainsAny(text, "0123456789") {
		return text
	}
	low := lower(text)
	var b strings.Builder
	for i := 0; i < len(low); {
		end := i + wordAt(low[i:])
		n, size := numeral10(low[i:])
		if size > 0 {
			b.WriteString(strconv.Itoa(n))
			end = i + size
		} else {
			b.WriteString(text[i:end])
		}
		i = end
	}
	text = counted().ReplaceAllStringFunc(b.String(), func(found string) string {
		m := counted().FindStringSubmatch(found)
		return m[1] + strconv.Itoa(inCharacters(m[2])) + m[3]
	})
	return chance().ReplaceAllString(text, "1/$1")
}

// numeral10 returns the number in words at the start of a text, and its length; 0 if there is none, or if it is
// the numerator of a fraction or the count of a greater unit.
func numeral10(low string) (n, size int) {
	p := phraseAt(low, numbers)
	if p.entry == nil || p.form == "/" || p.form == "1" {
		return 0, 0
	}
	n, _ = strconv.Atoi(p.form)
	size = len(p.text)
	for _, between := range []string{"-", " ", " and ", " et ", "-et-", " y ", " e "} {
		rest, ok := strings.CutPrefix(low[size:], between)
		q := phraseAt(rest, numbers)
		if !ok || q.entry == nil {
			continue
		}
		unit, err := strconv.Atoi(q.form)
		switch {
		case err != nil:
			return 0, 0
		case n >= 20 && n%10 == 0 && (unit < 10 || n%20 == 0 && unit < 20):
			return n + unit, size + len(between) + len(q.text)
		}
	}
	return n, size
}

// inCharacters returns a number below a hundred in Chinese characters.
func inCharacters(text string) (n int) {
	const places = "零一二三四五六七八九"
	tens, units, more := strings.Cut(strings.NewReplacer("两", "二", "兩", "二").Replace(text), "十")
	n = strings.Index(places, tens) / len("零")
	if more {
		n = 10*max(n, 0) + strings.Index(places, units)/len("零")
		if tens == "" {
			n += 10
		}
	}
	return n
}
