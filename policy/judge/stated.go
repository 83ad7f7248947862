package judge

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// A verdict carries the code of its prompt, which no reply can know. It is a JSON object of the fields
// that the prompt asks for, or lines of names with choices; it stands by itself, and the answer ends
// with it. What lacks the code is talk, and counts for nothing: drafts, and whatever the judge quotes of
// the reply. What follows a verdict may take it back in any words, and other fields may as well: so a
// verdict has neither.

// mostMarks limits how often an answer may have the code.
const mostMarks = 16

// A reader finds the verdict in an answer of a judge.
type reader struct {
	text  string // after the thinking
	code  string
	asked []Criterion
	names map[string]int // of the criteria asked for, with their places
	steps int            // bytes of objects read in all, for tests
}

// A stated verdict, with its place in the text.
type stated struct {
	start, end int
	choices    []string // nil: the code stands in a sentence
}

// read returns the choice for each criterion in the verdict of an answer, which has a code.
func read(answer, code string, asked []Criterion) ([]string, error) {
	text, err := spoken(answer)
	if err != nil {
		return nil, err
	}
	r := reader{text: text, code: code, asked: asked, names: make(map[string]int, len(asked))}
	for i, c := range asked {
		r.names[c.Name] = i
	}
	return r.verdict()
}

// tag matches the tags of thinking; the group is there if the tag ends it.
const tag = `(?:<(/)?\s*(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)\s*>|\[(/)?think\]|◁(/)?think▷|<\|channel\|>(?:analysis|commentary|(final)))`

var (
	tags   = compiled.Regexp(`(?i)` + tag)
	quoted = compiled.Regexp("(?i)[`'\"]" + tag + "[`'\"]") // those of others
)

// spoken returns an answer after its thinking.
func spoken(answer string) (string, error) {
	answer = quoted().ReplaceAllString(answer, "")
	thinks, from := false, 0
	for _, at := range tags().FindAllStringSubmatchIndex(answer, -1) {
		if thinks = slices.Max(at[2:]) < 0; !thinks {
			from = at[1]
		}
	}
	if thinks {
		return "", errors.New("its thinking has no end")
	}
	return answer[from:], nil
}

// verdict returns the choices of the verdict.
func (r *reader) verdict() ([]string, error) {
	var last stated
	marks := regexp.MustCompile(`(?i)\b`+r.code+`\b`).FindAllStringIndex(r.text, mostMarks+1)
	if len(marks) > mostMarks {
		return nil, fmt.Errorf("it has the code more than %d times", mostMarks)
	}
	for _, mark := range marks {
		if mark[0] < last.end { // it is in the verdict before it
			continue
		}
		s, err := r.object(mark[0])
		if err == nil && s.choices == nil {
			s, err = r.lines(mark[0])
		}
		switch {
		case err != nil:
			return nil, err
		case s.choices == nil && last.choices != nil:
			return nil, errors.New("it has the code again after its verdict")
		case last.choices != nil && !slices.Equal(s.choices, last.choices):
			return nil, errors.New("two of its verdicts differ")
		}
		last = s
	}
	switch {
	case last.choices == nil:
		return nil, errors.New("it has no verdict with the code")
	case !nothing().MatchString(r.text[last.end:]):
		return nil, errors.New("it goes on after its verdict")
	case !r.stands(last.start):
		return nil, errors.New("its verdict stands in a sentence, or after a line that does not call it the verdict")
	}
	return last.choices, nil
}

var (
	// nothing matches what may follow a verdict: marks, the end of a block, and the end of its element.
	nothing = compiled.Regexp("^(?:[\\s*_`.)\\]}$-]|~{3,}|</(?:(?:final_)?(?:verdict|answer|output|grade|result)|json)>)*$")

	// fence matches the lines around blocks of code.
	fence = compiled.Regexp("(?m)^[ \t]*(?:`{3,}|~{3,})[a-zA-Z]*[ \t\r]*$")

	// heading matches what may stand before a verdict in its line or in a line that leads to it: marks, and
	// words that call it the judge's own.
	heading = compiled.Regexp("(?i)^(?:[\\s*_#`()\\[{<>:$.0-9—–-]+|\\b(?:" +
		`my|mine|own|nevertheless|still|the|this is|a|is|are|here(?:['’]s)?|so|therefore|thus|hence|finally|final|overall|now|json|yaml|object|verdicts?|decisions?|judge?ments?|grad(?:e|es|ing)|ratings?|results?|answer|(?:in )?conclusion|evaluation|assessment|choices?|response format|` +
		`i (?:therefore |thus |hence |now )?(?:decide|conclude|say|choose|give)|as follows|below|the following (?:verdict|is)|in (?:the )?(?:json|yaml|required|requested)|form|format|and|with (?:my|the code)|as one|you asked (?:me )?(?:for|to give)|(?:on|for|about) (?:the|this|both|each) (?:reply|replies|response|responses|comparison|criterion|criteria)|based on (?:this|that|these|the (?:above|criteria|rubric))` +
		")\\b|\\\\boxed)*(?:\\boutput[\\s*_:]*)?$")

	// clause matches the ends of clauses.
	clause = compiled.Regexp(`[.!](?:\s|$)|[;,]\s|\bso\s`)

	// whole matches a line that leads to nothing: it ends a sentence or a quotation, has marks only, is
	// quoted, is a point of a list, or gives something a name.
	whole = compiled.Regexp("[.!…。！？}`\"”$✓✔✅✗✘❌][\\s*_)\\]\"'”’]*$|^[^\\pL\\pN'\"]*$|^\\s*[>|]|^(?:\\S+\\s+){3,}\\S*\\d$|^\\s*(?:[-*•]|\\d+[.)])\\s.*[^:\\s]\\s*$|:.*[^:*_\\s][*_]*\\s*$")
)

// stands reports whether a verdict at a place stands by itself: nothing is before it in its line, and the
// text before it is complete, or what leads to it says that it is the verdict.
func (r *reader) stands(at int) bool {
	start := strings.LastIndexByte(r.text[:at], '\n') + 1
	text := r.text[start:at]
	if strings.Trim(text, " \t*_`[({") == "" {
		if at := fence().FindAllStringIndex(r.text[:start], -1); len(at)%2 == 1 && strings.TrimSpace(r.text[at[len(at)-1][1]:start]) == "" {
			start = at[len(at)-1][0] // it is in a block
		}
		above := strings.TrimRight(r.text[:start], " \t\r\n-*_=") // without rules, too
		text = above[strings.LastIndexByte(above, '\n')+1:]
		if whole().MatchString(text) {
			return true
		}
	} else if strings.HasPrefix(strings.TrimSpace(text), "#") { // a comment
		return false
	}
	text = strings.TrimRight(text, " \t*_`[({")
	if ends := clause().FindAllStringIndex(text, -1); ends != nil {
		text = text[ends[len(ends)-1][1]:]
	}
	return !strings.HasPrefix(strings.TrimSpace(text), ">") && heading().MatchString(text)
}
