package replies

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// A Rendering writes an answer in another form that means the same.
type Rendering struct {
	Name string                       // of the form, after "the solution"
	Of   func(solution string) string // empty: the solution has no such form
}

// Renderings returns the harmless forms of an answer.
func Renderings() []Rendering { return slices.Clone(renderings) }

var renderings = []Rendering{
	{"with space around it", func(s string) string { return " \n" + s + " \n" }},
	{"with carriage returns", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") + "\r\n" }},
	{"in bold", bold},
	{"in italics", func(s string) string { return plain(s, "*"+s+"*") }},
	{"in quotes", func(s string) string { return plain(s, `"`+s+`"`) }},
	{"in single quotes", func(s string) string { return plain(s, "'"+s+"'") }},
	{"in a box", func(s string) string { return balanced(s, `\boxed{`+s+`}`) }},
	{"in a box, as a text", func(s string) string { return oneLine(s, balanced(s, `\boxed{\text{`+s+`}}`)) }},
	{"in a box, with its braces escaped", func(s string) string {
		return structure(s, `\boxed{`+strings.NewReplacer("{", `\{`, "}", `\}`).Replace(s)+`}`)
	}},
	{"with a full stop", func(s string) string { return sentence(s, s+".") }},
	{"in a sentence", func(s string) string { return sentence(s, "The answer is "+s+".") }},
	{"after the word answer", func(s string) string { return oneLine(s, "**Answer:** "+s) }},
	{"in a sentence, in a box", func(s string) string {
		return oneLine(s, balanced(s, `The final answer is `+formula(`\boxed{`+s+`}`)+`.`))
	}},
	{"with separators of thousands within", groupedWithin},
	{"as a decimal number", func(s string) string { return matching(wholeRE, s, s+".0") }},
	{"with its value", withValue},
	{"as a list of rows", listOfRows},
	{"in a code block", func(s string) string { return "```\n" + s + "\n```" }},
	{"in a code block that names its language", func(s string) string { return "```text\r\n" + s + "\r\n```\r\n" }},
	{"as code", func(s string) string { return oneLine(s, "`"+s+"`") }},
	{"with separators of thousands", grouped},
	{"in bold, with separators of thousands", func(s string) string { return wrapped("**", grouped(s)) }},
	{"with the minus of Unicode", func(s string) string { return signRE.ReplaceAllString(s, "${1}−${2}") }},
	{"with double spaces", func(s string) string { return boardWith(s, " ", "  ") }},
	{"with tabs", func(s string) string { return boardWith(s, " ", "\t") }},
	{"with space at the ends of lines", func(s string) string { return boardWith(s, "\n", " \n") }},
	{"in lower case", func(s string) string { return truth(s, strings.ToLower(s)) }},
	{"in upper case", func(s string) string { return truth(s, strings.ToUpper(s)) }},
	{"as in Python", python},
	{"in quotes, as JSON", func(s string) string { return structure(s, `"`+s+`"`) }},
	{"in quotes, as a text of JSON", func(s string) string { return structure(s, string(quoted(s))) }},
	{"without spaces", func(s string) string { return structure(s, strings.NewReplacer(", ", ",", ": ", ":").Replace(s)) }},
}

var (
	signRE    = regexp.MustCompile(`(^|[\s(\[,=+*/])-( ?\d)`)
	numeralRE = regexp.MustCompile(`^-?[1-9]\d{3,}(\.\d+)?$`)

	wholeRE = regexp.MustCompile(`^-?(?:0|[1-9]\d*)$`)
	wordsRE = regexp.MustCompile(`^[\pL\pN][^\n"'*` + "`" + `]*$`)

	expressionRE = regexp.MustCompile(`^[-+*/×()i\d ]+[+*/×i][-+*/×()i\d ]*$`)
	wholesRE     = regexp.MustCompile(`\d+`)
	constantRE   = regexp.MustCompile(`[\[,: ](?:true|false|null)`)
)

var pythonConstants = map[string]string{"true": "True", "false": "False", "null": "None"}

// oneLine returns rendered if s is a single line without marks of its own.
func oneLine(s, rendered string) string {
	if s == "" || strings.ContainsAny(s, "\n`") {
		return ""
	}
	return rendered
}

// matching returns rendered if s matches re.
func matching(re *regexp.Regexp, s, rendered string) string {
	if !re.MatchString(s) {
		return ""
	}
	return rendered
}

// plain returns rendered if s is a single line without quotes and marks.
func plain(s, rendered string) string { return matching(wordsRE, s, rendered) }

// balanced returns rendered if each brace of s has its partner.
func balanced(s, rendered string) string {
	depth := 0
	for _, c := range s {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			return ""
		}
	}
	if s == "" || depth > 0 {
		return ""
	}
	return rendered
}

// sentence returns rendered if s is a single line that does not end a sentence itself.
func sentence(s, rendered string) string {
	if strings.TrimRight(s, ".!?") != s {
		return ""
	}
	return oneLine(s, rendered)
}

// withValue writes the value of an arithmetic expression after it.
func withValue(s string) string {
	a, err := answer.ReadArithmetic(s)
	if err != nil || len(a.Numbers) < 2 {
		return ""
	}
	value, err := a.Value()
	if err != nil || !value.IsInt() {
		return ""
	}
	return s + " = " + value.RatString()
}

// listOfRows writes rows of equally many whole numbers as a list of lists.
func listOfRows(s string) string {
	var rows [][]any
	for row := range strings.Lines(s) {
		var cells []any
		for cell := range strings.FieldsSeq(row) {
			if !wholeRE.MatchString(cell) {
				return ""
			}
			cells = append(cells, json.Number(cell))
		}
		rows = append(rows, cells)
		if len(cells) != len(rows[0]) {
			return ""
		}
	}
	if len(rows) < 2 || len(rows[0]) < 2 {
		return ""
	}
	out, err := json.Marshal(rows)
	if err != nil {
		return ""
	}
	return string(out)
}

// formula puts dollars around s unless it has some.
func formula(s string) string {
	if strings.Contains(s, "$") {
		return s
	}
	return "$" + s + "$"
}

// groupedWithin writes the numbers of an expression with commas.
func groupedWithin(s string) string {
	if !expressionRE.MatchString(s) {
		return ""
	}
	return wholesRE.ReplaceAllStringFunc(s, func(number string) string { return cmp.Or(grouped(number), number) })
}

// bold returns s in bold, if it has no such marks at its ends.
func bold(s string) string {
	if strings.Trim(s, "*") != s {
		return ""
	}
	return oneLine(s, "**"+s+"**")
}

// wrapped puts marks around s unless it is empty.
func wrapped(marks, s string) string {
	if s == "" {
		return ""
	}
	return marks + s + marks
}

// grouped writes a number of four digits or more with commas.
func grouped(s string) string {
	if !numeralRE.MatchString(s) {
		return ""
	}
	whole, fraction, point := strings.Cut(s, ".")
	digits := strings.TrimPrefix(whole, "-")
	out := []byte(whole[:len(whole)-len(digits)])
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	if point {
		out = append(append(out, '.'), fraction...)
	}
	return string(out)
}

// boardWith replaces old by rendered in a solution of several lines.
func boardWith(s, old, rendered string) string {
	if !strings.Contains(s, "\n") {
		return ""
	}
	return strings.ReplaceAll(s, old, rendered)
}

// truth returns rendered if s is True or False.
func truth(s, rendered string) string {
	if s != "True" && s != "False" {
		return ""
	}
	return rendered
}

// quoted returns s as a JSON string.
func quoted(s string) []byte {
	text, _ := json.Marshal(s) // it takes any text
	return text
}

// structure returns rendered if s is a JSON list or object.
func structure(s, rendered string) string {
	if s == "" || !strings.ContainsAny(s[:1], "[{") || !json.Valid([]byte(s)) {
		return ""
	}
	return rendered
}

// python writes a list or an object as Python prints it.
func python(s string) string {
	if strings.ContainsAny(s, `'\`) {
		return ""
	}
	constants := constantRE.ReplaceAllStringFunc(s, func(c string) string { return c[:1] + pythonConstants[c[1:]] })
	return structure(s, strings.ReplaceAll(constants, `"`, "'"))
}
