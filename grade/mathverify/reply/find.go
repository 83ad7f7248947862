package reply

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// A formula is a part of a text between the delimiters of a formula.
type formula struct {
	content    string
	start, end int
}

// formulas lists the formulas of a text.
func formulas(text string) (found []formula) {
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], `$\`)
		if n < 0 {
			return found
		}
		i += n
		open, shut := mark(text[i:])
		if open == "" {
			i++
			if text[i-1] == '\\' && i < len(text) {
				i++
			}
			continue
		}
		end := closer(text[i+len(open):], shut)
		if end < 0 {
			i += len(open)
			continue
		}
		content := text[i+len(open) : i+len(open)+end]
		found = append(found, formula{content, i, i + len(open) + end + len(shut)})
		i += len(open) + end + len(shut)
	}
	return found
}

// maxFormula bounds the length of a formula, so that the search is linear.
const maxFormula = 4000

// closer finds the delimiter that ends a formula, unless a backslash escapes it.
func closer(text, shut string) int {
	text = text[:min(len(text), maxFormula)]
	if text == "" {
		return -1
	}
	for from := 0; ; {
		n := strings.Index(text[from:], shut)
		if n < 0 {
			return -1
		}
		if n += from; shut == "$" && n+1 < len(text) && isDigit(text[n+1]) && isDigit(text[0]) { // amounts of money
			return -1
		}
		if shut != "$" || n == 0 || text[n-1] != '\\' {
			return n
		}
		from = n + 1
	}
}

// mark returns the opening delimiter at the start of a text, and its closing one.
func mark(text string) (open, shut string) {
	for _, pair := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {`\begin{align*}`, `\end{align*}`}, {`\begin{align}`, `\end{align}`}, {`\begin{equation}`, `\end{equation}`}} {
		if strings.HasPrefix(text, pair[0]) {
			return pair[0], pair[1]
		}
	}
	return "", ""
}

// linked matches the text between formulas of one answer.
var linked = compiled.Regexp(`^[\s,]*(?:\([^()$\d]{1,40}\))?[\s,]*(?:and also|or else|as well as|and|or|und|oder|et|ou|y|o|e|и|или|和|或|と|와|,)?\s*$`)

// single matches a formula of just one variable.
var single = compiled.Regexp(`^\s*\\?[A-Za-z]+(?:_\{?\w\}?)?\s*$`)

// lastFormula returns the last formula of a text, and those before it that only commas,
// "and" or "or" separate. If it is just a variable, a number after it counts.
func lastFormula(text string) string {
	found := formulas(text)
	all := asserted(text, found)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	if single().MatchString(last.content) || !strings.ContainsAny(last.content, "0123456789=") {
		if n := lastExpression(text[last.end:]); n != "" {
			return n
		}
	}
	if len(all) == len(found) {
		if n := stated(text[last.end:]); n != "" {
			return n
		}
	}
	first := len(all) - 1
	for ; first > 0; first-- {
		between := text[all[first-1].end:all[first].start]
		if _, _, ok := memberOf([]string{"", all[first].content}); !linked().MatchString(between) || !ok && strings.TrimSpace(between) == "" { // steps
			break
		}
	}
	var b strings.Builder
	for i, f := range all[first:] {
		if i > 0 && strings.Contains(text[all[first+i-1].end:f.start], "or") {
			b.WriteString(` \text{ or } `)
		} else if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.Trim(lines(f.content), " .,;\n"))
	}
	answer := b.String()
	if !bare(answer) {
		return lastNumber(answer)
	}
	return answer + unitAfter(text[last.end:])
}

// percentAfter matches a percent sign after a formula.
var percentAfter = compiled.Regexp(`^\s*(?:\\?%|percent\b|per cent\b|pct\b)`)

// halfOfDay matches what follows a time of day.
var halfOfDay = compiled.Regexp(`^\s*[aApP](?:\.\s?[mM]\.|[mM]\b)`)

// maxOf is as much as we read of a text after a formula.
const maxOf = 20

// unitAfter returns a percent sign, or the half of the day, if a text begins with it.
func unitAfter(text string) string {
	if percentAfter().MatchString(text) {
		return `\%`
	}
	if m := halfOfDay().FindString(text[:min(len(text), maxOf)]); m != "" {
		return `\text{` + m + "}"
	}
	return ""
}

// aligned matches an environment that aligns the lines of a formula.
var aligned = compiled.Regexp(`^\s*\\begin\{(?:aligned|align\*?|gathered|gather\*?|split)\}([\s\S]*)\\end\{(?:aligned|align\*?|gathered|gather\*?|split)\}[\s.]*$`)

// lines returns the last line of an aligned formula, without alignment marks; all of them if each is
// an equation for a variable of its own.
func lines(content string) string {
	if strings.Contains(content, `\begin`) {
		if m := aligned().FindStringSubmatch(content); m != nil {
			content = m[1]
		}
	}
	if strings.Contains(content, `\begin`) || !strings.Contains(content, "&") && !strings.Contains(content, `\\`) {
		return content
	}
	rows := slices.DeleteFunc(strings.Split(strings.ReplaceAll(content, "&", ""), `\\`), func(row string) bool { return strings.TrimSpace(row) == "" })
	if len(rows) == 0 {
		return content
	}
	names := map[string]bool{}
	for i, row := range rows {
		rows[i] = strings.Trim(row, " ,;.\n")
		if name, _, ok := memberOf([]string{"", rows[i]}); ok && name != "" {
			names[name] = true
		}
	}
	if len(names) == len(rows) && len(rows) > 1 {
		return strings.Join(rows, ", ")
	}
	return strings.TrimLeft(rows[len(rows)-1], "= ")
}

var (
	digits  = `[-−+]?(?:\\\$|\$|€|£)?\s?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)`
	numeral = compiled.Regexp(`\\[dt]?frac\{[^{}]*\}\{[^{}]*\}|` + digits + `(?:\s?/\s?\d+)?(?:\s?(?:\\?%|percent\b|per cent\b|pct\b|hundred\b|thousand\b|million\b|billion\b|trillion\b))?`)
)

// ratios matches a ratio in words at the end of a text.
var ratios = compiled.Regexp(`(?i)\b(?:ratio|odds)\b[^.\n]*?\b(\d+(?: to \d+)+)[\s.*]*$`)

// inNumber are the ASCII signs that may stand within a number.
const inNumber = "0123456789.,/%-+$\\ \t\n\f\r"

// lastNumber returns the last number of a text, with its sign and percent sign.
func lastNumber(text string) string {
	text = text[max(0, len(text)-maxLines):]
	if !strings.Contains(text, "frac{") { // then none goes on over a sign that no number has
		last := strings.LastIndexAny(text, "0123456789")
		first := strings.LastIndexFunc(text[:last+1], func(r rune) bool { return r < utf8.RuneSelf && !strings.ContainsRune(inNumber, r) })
		text = text[first+1 : min(len(text), last+1+maxOf)]
	}
	all := numeral().FindAllString(text, -1)
	if all == nil {
		return ""
	}
	return strings.TrimSpace(all[len(all)-1])
}

// lone matches a capital letter on its own.
var lone = compiled.Regexp(`(?:^|[^\p{Latin}\p{Cyrillic}\p{Greek}\\{'’])\(?(?:\\text(?:bf)?\{|\\mathbf\{|\\mathrm\{)?\(?([A-J])\)?\}?(?:[^\p{Latin}'’]|$)`)

// listing matches several letters in a row.
var listing = compiled.Regexp(`[A-J]\)?\s*(?:,|or|and|/|&)\s*(?:or |and )?\(?[A-J]\b`)

var (
	// afterWord matches what may follow the letters A and I, which are words too.
	afterWord = compiled.Regexp(`^[)\]}*$]*(?:\s*$|[).,:;\]}*$<!?—–-]|\s+[-–—(]|\s+(?:is|because|since|which|as|while|non|not|ist|est|es|é|è)\b|[^\p{Latin}\s'])`)

	// beforeLetter matches the words after which A and I are letters.
	beforeLetter = compiled.Regexp(`(?i)(?:options?|choices?|letter|only|just)[\s*(:]*$`)
)

// loneLetter returns where the first letter of a choice stands on its own in a text from an index on, or
// -1.
func loneLetter(text string, from int) int {
	for from < len(text) {
		m := lone().FindStringSubmatchIndex(text[from:])
		if m == nil {
			return -1
		}
		at := from + m[2]
		if c := text[at]; c != 'A' && c != 'I' || afterWord().MatchString(text[at+1:]) || beforeLetter().MatchString(text[:at]) {
			return at
		}
		from = at + 1
	}
	return -1
}

// firstLetter returns the first letter of a choice in a statement.
func firstLetter(s string) string {
	at := loneLetter(s, 0)
	if at < 0 {
		return ""
	}
	if loc := listing().FindStringIndex(s); loc != nil && loc[0] <= at+1 {
		return ""
	}
	return s[at : at+1]
}

// subject returns the complement of a short sentence: "Friday" of "The day is Friday".
func subject(text string) string {
	for _, verb := range []string{" is ", " are ", " equals "} {
		if i := strings.LastIndex(text, verb); i >= 0 {
			return text[i+len(verb):]
		}
	}
	return text
}

// judged matches a letter that is called right.
var judged = compiled.Regexp(`(?:^|[^\p{L}])\(?([A-J])\)?\*{0,2} (?:is|must be) (?:the )?(?:correct|right|best)\b`)

// opening matches a letter at the start of a text.
var opening = compiled.Regexp(`^\s*[*(]*([A-J])[*)]*(?:[.,:;。，]|[^\p{L}\s'’]|\s+(?:is (?:the|correct|right|my|best|true)|because|since|non|not)\b)`)

// maxHint is the greatest length of a text in which an unmarked letter counts.
const maxHint = 400

// lastLetter returns the letter at the start of a text, or else the last letter on its
// own.
func lastLetter(text string) string {
	if all := judged().FindAllStringSubmatch(text[max(0, len(text)-maxHint):], -1); len(all) == 1 {
		return all[0][1]
	}
	if last := lastSentence(text); last == text || cues(lower(last), concludes) == nil || loneLetter(last, 0) < 0 {
		if m := opening().FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	if len(text) > maxHint {
		return ""
	}
	found := ""
	for at := loneLetter(text, 0); at >= 0; at = loneLetter(text, at+1) {
		found = text[at : at+1]
		if loc := listing().FindStringIndex(text[max(0, at-maxOf):min(len(text), at+maxOf)]); loc != nil && loc[0] <= min(at, maxOf) && loc[1] > min(at, maxOf) {
			found = "" // one of several
		}
	}
	return found
}
