package tasktest

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A rendering writes a right answer in another form. It returns nothing if the solution has
// no such form.
type rendering struct {
	name string
	of   func(solution string) string
}

var renderings = []rendering{
	{"with space around it", func(s string) string { return " \n" + s + " \n" }},
	{"with carriage returns", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") + "\r\n" }},
	{"in bold", func(s string) string { return oneLine(s, "**"+s+"**") }},
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
	{"without spaces", func(s string) string { return structure(s, strings.NewReplacer(", ", ",", ": ", ":").Replace(s)) }},
}

var (
	signRE    = regexp.MustCompile(`(^|[\s(\[,=+*/])-( ?\d)`)
	numeralRE = regexp.MustCompile(`^-?[1-9]\d{3,}(\.\d+)?$`)

	constantRE = regexp.MustCompile(`[\[,: ](?:true|false|null)`)
)

var pythonConstants = map[string]string{"true": "True", "false": "False", "null": "None"}

// oneLine returns rendered if s is a single line without marks of its own.
func oneLine(s, rendered string) string {
	if s == "" || strings.ContainsAny(s, "\n`*") {
		return ""
	}
	return rendered
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

// otherForms: a right answer in another form is right, unless the task refuses the form on
// purpose.
func otherForms(t testing.TB, of quintain.Task) {
	refuses := of.Info().Refuses
	met, told := map[string]bool{}, map[string]bool{}
	each(t, of, func(p quintain.Problem) {
		solution := solve(t, of, p)
		for _, r := range renderings {
			text := r.of(solution)
			if text == "" || text == solution {
				continue
			}
			v := grade(t, of, p, text)
			if v == quintain.Right() {
				continue
			}
			met[r.name] = true
			if refuses[r.name] == "" && !told[r.name] {
				told[r.name] = true
				t.Errorf("%s: the solution %s, %.100q, gets %+v; take it, or say in Refuses why not", p.ID(), r.name, text, v)
			}
		}
	})
	for form := range refuses {
		if !met[form] {
			t.Errorf("the task takes every solution %s; take it out of Refuses", form)
		}
	}
}
