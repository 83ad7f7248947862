// Package reply finds the final answer in the text that a model wrote: in a box, after "the answer is",
// in the last formula, or as the last whole expression of prose. Rules find candidates; weights fitted to
// labelled replies (grammar.txt) judge whether the reply states one. docs/math.md says what is certain,
// and how often they err. It runs none of the text; its cost is linear.
package reply

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/task/answer"
)

// A Rule says how we found an answer in a text.
type Rule string

// The rules, by their priority.
const (
	RuleBox       Rule = "box"       // the last \boxed{…} or \fbox{…}, and those before it separated only by commas, "and" or "or"
	RuleTag       Rule = "tag"       // the last <answer>…</answer>, and those before it separated only by commas, "and" or "or"
	RuleBare      Rule = "bare"      // the whole text, if it has no prose
	RuleStatement Rule = "statement" // the text after the last "the answer is" or similar
	RuleFormula   Rule = "formula"   // the last formula in $…$, \(…\), \[…\] or $$…$$
	RuleNumber    Rule = "number"    // the last number
	RuleText      Rule = "text"      // a short text without numbers
	RuleNone      Rule = "none"      // no answer
)

// maxText is the most bytes we read of a text, from its end.
const maxText = 1 << 20

// Find returns the first candidate that a text states, and the rule that found it. It looks for what the reference
// is: the letter of a multiple choice, words, or mathematics, with a unit if the reference has one that
// we can convert. The cost is linear.
func Find(text, reference string) (found string, rule Rule) {
	if plainNumber(text) {
		return text, RuleBare
	}
	for c := range Candidates(text, reference) {
		if c.Stated() {
			return c.Found, c.Rule
		}
	}
	return "", RuleNone
}

// readable returns the part of a reply that may hold its answer, in the forms that we read.
func readable(text string) string {
	if len(text) > maxText {
		text = text[len(text)-maxText:]
	}
	text = withoutStruck(repaired(withoutMarks(answer.WithoutThinking(text))))
	if strings.IndexByte(text, 0xE2) >= 0 || strings.IndexByte(text, 0xEF) >= 0 || strings.IndexByte(text, 0xF0) >= 0 || strings.Contains(text, "R$") { // the first bytes of pictures
		text = pictures().ReplaceAllString(strings.ReplaceAll(text, "’", "'"), "")
	}
	return withPoint(text)
}

// pictures matches emojis, but not those that deny, and the letter before a sign of money.
var pictures = compiled.Regexp(`[\x{2600}-\x{2716}\x{2719}-\x{274B}\x{274F}-\x{27BF}\x{FE0F}\x{1F000}-\x{1FAFF}]|\bR\$ \b`)

// A wanted says what kind of answer the reference is.
type wanted struct {
	letter bool   // the letter of a multiple choice
	phrase string // the reference, if it is in words
	words  string // its words in lower case
	value  bool   // with a digit
	unit   bool   // a value with a unit that we can convert
}

func wantedFor(reference string) wanted {
	want := wanted{letter: IsChoice(reference)}
	if !want.letter && IsPhrase(reference) {
		want.phrase, want.words = reference, Words(reference)
	}
	want.value = want.phrase == "" && !want.letter && strings.ContainsAny(reference, "0123456789")
	want.unit = EndsInUnit(reference) || strings.Contains(reference, "$")
	return want
}

// located finds the answer of a reply that asserts all its values.
func located(text string, want wanted) (found string, rule Rule) {
	if boxes, rest := lastBoxes(text); boxes != nil {
		if s := statement(rest); startsWithValue(strings.TrimLeft(s, " *(")) || strings.Contains(lower(rest), "final answer") {
			if s = fromStatement(s, want); s != "" {
				return s, RuleStatement
			}
		}
		found = strings.Join(boxes, ", ")
		if before, _, _ := strings.Cut(text[max(0, len(text)-len(rest)-maxShort):], `\boxed`); strings.Contains(found, ",") && writesCommas(before) {
			found = withPoints(found)
		}
		found = peel(found)
		if strings.HasPrefix(found, `\`) {
			if m := worded().FindStringSubmatch(found); m != nil {
				found, _ = fromText(m[1], wanted{})
			}
		}
		if want.letter && Labelled(found) == "" {
			if letter, rule := fromText(strings.TrimLeft(rest, " .,;:$)]}\n"), want); rule == RuleStatement || rule == RuleBare && Labelled(letter) != "" {
				return letter, RuleStatement
			}
		}
		return found, RuleBox
	}
	if inner, ok := tagged(text); ok {
		found, _ = fromText(inner, want)
		return found, RuleTag
	}
	return fromText(text, want)
}

// worded matches an answer that is set in words as a whole.
var worded = compiled.Regexp(`^\\(?:text|textbf|textrm|mathrm|mathbf|mbox)\s*\{([^{}]*\d[^{}]*)\}\.?$`)

// fromText applies the rules for texts without boxes.
func fromText(text string, want wanted) (string, Rule) {
	text = strings.TrimSpace(marked(withoutEndMark(withoutRules(text))))
	if start := text[:min(len(text), maxShort/2)]; len(text) <= maxHint && (strings.Contains(start, "ns") || strings.Contains(start, "NS") || strings.Contains(start, "RES")) {
		text = text[len(leadIn().FindString(text)):]
	}
	if text != "" && (strings.IndexByte(".,;", text[0]) >= 0 || text[0] >= 0xE2) {
		text = text[len(remains().FindString(text)):]
	}
	if text = withoutTail(text); len(text) <= maxBare && bare(text) && (!want.letter || !wordy().MatchString(text)) {
		if text = peel(withoutWords(text)); strings.HasPrefix(text, `\begin`) && aligned().MatchString(text) {
			text = lines(text)
		}
		if m := unitWord().FindStringSubmatch(strings.TrimRight(text, " .!*")); m != nil {
			return m[1], RuleBare
		}
		if m := tallied().FindStringSubmatch(text); m != nil && cues(m[2], bounds) == nil {
			return m[1], RuleBare
		}
		return strings.Trim(text, "* "), RuleBare
	}
	if s := statement(text); s != "" {
		if found := fromStatement(s, want); found != "" {
			return found, RuleStatement
		}
		if want.letter { // several letters
			return "", RuleNone
		}
	}
	if want.letter {
		if found := lastLetter(text); found != "" {
			return found, RuleStatement
		}
	}
	if want.phrase != "" {
		if found := phrase(text, want.phrase); found != "" {
			return found, RuleText
		}
	}
	for _, part := range []string{conclusion(text), text} {
		if found := bulleted(part); found != "" {
			return found, RuleFormula
		}
		if found := lastFormula(part); found != "" {
			return found, RuleFormula
		}
		if found := lastExpression(part); found != "" {
			return found, RuleNumber
		}
	}
	if len(text) <= maxShort {
		return subject(strings.Trim(text, " .*\n")), RuleText
	}
	return "", RuleNone
}

// remains matches what a denial leaves before the value that it contrasts, and pictures.
var remains = compiled.Regexp(`^(?:[.,;]\s+(?:(?:mas|ma|sino|а|но|é|è|es|est|c'est|ist|is)\s+)?|[\x{2600}-\x{27BF}\x{1F000}-\x{1FAFF}]\s*)`)

// tallied matches a value and the word of Chinese or Japanese that counts it.
var tallied = compiled.Regexp(`^\** ?(.*[\d)}\]$])\s*(\p{Han}{0,2})(?:です|だ|である|[个個つ])?[。* ]*$`)

// The greatest lengths of unmarked answers.
const (
	maxBare  = 1 << 17
	maxShort = 80
)

// rules matches a rule before or after a text, or the mark of a quotation.
var rules = compiled.Regexp(`^\s*(?:-{3,}\s*\n|> )|\n\s*-{3,}\s*$`)

// withoutRules drops rules, and the mark of a quotation.
func withoutRules(text string) string {
	text = strings.TrimSpace(text)
	if !strings.HasSuffix(text, "---") && !strings.HasPrefix(text, "---") && !strings.HasPrefix(text, "> ") {
		return text
	}
	return rules().ReplaceAllString(text, "")
}

// wordy matches a word of a sentence about a letter.
var wordy = compiled.Regexp(`(?:^|\s)[A-Za-z]?[a-z]{3,}\s`)

// leadIn matches the word before an answer.
var leadIn = compiled.Regexp(`^[\s*_#]*(?:(?i:ans)|ANSWER|RESULT)\s*[:.=—–][\s*]*`)

// marks finds the marks of chat templates around turns.
var marks = compiled.Regexp(`<\|[^|<>]{1,40}\|>`)

// withoutMarks drops the marks of chat templates.
func withoutMarks(text string) string {
	if !strings.Contains(text, "<|") {
		return text
	}
	return marks().ReplaceAllString(text, "")
}

// tagged returns the content of the last pair of tags, and of the pairs before it that
// only commas, "and" or "or" separate.
func tagged(text string) (string, bool) {
	const open, shut = "<answer>", "</answer>"
	if start := strings.LastIndex(text, open); start < 0 || !strings.Contains(text[start:], shut) {
		return "", false
	}
	text = text[max(0, len(text)-maxLines):]
	var all []box
	for at := strings.Index(text, open); at >= 0; {
		inside, _, closed := strings.Cut(text[at+len(open):], shut)
		if !closed {
			break
		}
		end := at + len(open) + len(inside) + len(shut)
		all = append(all, box{inside, at, end})
		next := strings.Index(text[end:], open)
		if at = end + next; next < 0 {
			break
		}
	}
	return strings.Join(together(text, all), ", "), all != nil
}

// Reference strips the markup that datasets put around a reference answer.
func Reference(gold string) string {
	gold = withPoint(repaired(gold))
	if i := strings.LastIndex(gold, "####"); i >= 0 { // the solution of GSM8K
		gold = gold[i+len("####"):]
	}
	if boxes, _ := lastBoxes(gold); boxes != nil {
		return peel(strings.Join(boxes, ", "))
	}
	return peel(strings.TrimSpace(gold))
}

// peel strips dollar signs, formula brackets and braces around the whole text.
func peel(text string) string {
	for {
		text = strings.TrimSpace(text)
		inner := text
		if text == "" || strings.IndexByte("$\\*_`'", text[0]) < 0 && text[0] < 0x80 {
			return braces(text)
		}
		for _, pair := range delimiters {
			if inner = between(text, pair[0], pair[1]); inner != text {
				break
			}
		}
		if inner == text {
			return braces(text)
		}
		text = inner
	}
}

// between strips marks that enclose a text, unless they also occur within it.
func between(text, open, shut string) string {
	rest, ok := strings.CutPrefix(text, open)
	inner, is2 := strings.CutSuffix(rest, shut)
	if !ok || !is2 || strings.Contains(inner, open) || strings.Contains(inner, shut) {
		return text
	}
	return inner
}

// delimiters enclose formulas.
var delimiters = [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {"**", "**"}, {"__", "__"}, {"```", "```"}, {"`", "`"}, {"«", "»"}, {"“", "”"}, {"'", "'"}}

// setBuilder matches the beginning of a set with a condition in plain braces.
var setBuilder = compiled.Regexp(`^\{\s*[a-z]\s*(?:∈\s*ℝ|\\in\s*\\mathbb\{?R\}?)?\s*[|:∣]`)

// braces strips braces around the whole text.
func braces(text string) string {
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && setBuilder().MatchString(text[:min(len(text), maxShort)]) {
		return `\` + text[:len(text)-1] + `\}`
	}
	inside := strings.TrimLeft(text, "{")
	k := min(len(text)-len(inside), len(text)-len(strings.TrimRight(text, "}"))) // the braces that close at the very end
	for i, depth, open := k, 0, k; i < len(text)-open; i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
			k = max(0, min(k, open+depth))
		}
	}
	if k == 1 && strings.Contains(text, ",") { // {1,2,3} is a set
		return text
	}
	return strings.TrimSpace(text[k : len(text)-k])
}
