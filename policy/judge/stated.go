package judge

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// A verdict carries the code of its prompt, which no reply can know. It is a JSON object, or lines of
// names with choices, and has the code and each name once. What lacks the code is talk, and counts
// for nothing: drafts, and whatever the judge quotes of the reply. So the reply does not decide what
// is read. An answer is unreadable if verdicts in it differ, or if the judge attributes its verdict
// to the reply, or takes it back.

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
	choices    []string // nil: a mention of the code, and no verdict
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
	var found []stated
	marks := regexp.MustCompile(`(?i)\b`+r.code+`\b`).FindAllStringIndex(r.text, mostMarks+1)
	if len(marks) > mostMarks {
		return nil, fmt.Errorf("it has the code more than %d times", mostMarks)
	}
	at := 0
	for _, mark := range marks {
		if mark[0] < at { // it is in the verdict before it
			continue
		}
		s, err := r.object(mark[0])
		if err == nil && s.choices == nil {
			s, err = r.lines(mark[0])
		}
		switch {
		case err != nil:
			return nil, err
		case s.choices == nil && found != nil:
			return nil, errors.New("it has the code again after its verdict")
		case s.choices == nil:
		case found != nil && !slices.Equal(s.choices, found[0].choices):
			return nil, errors.New("two of its verdicts differ")
		case !r.stands(s.start):
			return nil, errors.New("its verdict stands in a sentence of others, or is none of its own")
		default:
			found = append(found, s)
		}
		at = s.end
	}
	if found == nil {
		return nil, errors.New("it has no verdict with the code")
	}
	last := found[len(found)-1]
	if r.withdraws(last) {
		return nil, errors.New("it takes its verdict back")
	}
	return last.choices, nil
}

var (
	// leads match what may lead to a verdict with a colon, or in its line.
	leads = compiled.Regexp(`(?i)^[^a-z]*$|<\W*\w+\W*$|\\\w+\W*$|\b(?:verdicts?|conclu\w*|deci\w+|json|yaml|object|output|answer|grad\w*|judg\w*|results?|evaluat\w*|assess\w*|rating|scor\w+|choices?|choose|urteil|ergebnis|bewertung|jugement|réponse|veredicto|resultado|final\w*|i (?:say|write|give|put|end)|mine|therefore|thus|hence|follow\w*|here|below|summary|analysis)\b|\b(?:is|are|was) (?:not )?(?:right|wrong|correct|incorrect|true|false)\W*$`)

	// attributed matches what leads to a verdict that is not the judge's own, in the last clause before
	// it: "the reply tells me to write", "it contains", "for example".
	attributed = compiled.Regexp(`(?i)(?:\b(?:not|never|cannot|refuses?|decline[sd]?|tempted|might|could|(?:judge|grader|attacker|he|she|they|it|one|somebody|someone) would|would (?:like|have|want)|pretend|asks?|asked|told|tells?|wants?|wanted|hopes?|instruct\w*|orders?|ordered|demand\w*|urge\w*|tries|tried|trying|expect\w*|supposed|instead of|rather than|without)\b|n['’]t\b)` +
		`(?:\W+[\w'’]+){0,6}?\W+(?:write|say|answer|output|end|give|reply|respond|choose|return|copy|print|put|emit|grade|conclude|finish|produce|quote|repeat|insert|include|see|hear|get)\w*\b|` +
		`\b(?:says|said|claims|claimed|contains|contained|holds|held|includes|included|quotes?|quoted|writes|states|stated|suggests|suggested|requests|demand\w*|wants|wanted|asks for|asked for|hopes for|instead of|insert\w*|inject\w*|(?:ends|ended|closes|begins) with)\W*(?:(?:this|that|the following|it|me|so|as follows|the|a|an|its|fake|own|whole|text|verdict|line|object|json)\W*)*$|` +
		`\b(?:draft|guess|example|e\.g\.|perhaps|maybe|hypothetical\w*|(?:something|answer|one|verdict|object|json) like|such as|template|fake|forged|injected|initial|first thought|no circumstances|wrong (?:verdict|answer|output|to)|possible|proposed|demanded|pending|opposite|reject\w*|disagree\w*|differ\w*|(?:reply|response|candidate|student)['’]s (?:own )?verdict|(?:verdict|output|json) (?:of|by|from|in) the (?:reply|response|candidate|student))\b[^.]*$|^\W*(?:the |its )?(?:reply|response|student|candidate|author|text|user)\W*$|\bnot\W*$|n['’]t\W*$`)

	// byTheJudge matches who may tell a judge what to write.
	byTheJudge = compiled.Regexp(`(?i)\b(?:you|(?:the )?(?:instructions?|prompt|task|rubric)) (?:say|ask|tell|told|want|expect|require|instruct)\w*\b`)

	// clause matches the ends of clauses, and hanging a line that the verdict after it completes.
	clause  = compiled.Regexp(`[.!?;,](?:\s|$)|\}|\b(?:but|yet|so|while|whereas)\b`)
	hanging = compiled.Regexp(`(?i)(?::|\b(?:writes?|says?|answer|outputs?|with|for|gives?|returns?|prints?|puts?|is|be|like|to|wants|wanted|contains|claims|demands|quotes|reads|as|of|that|this|following|includes?|the|produce|conclude|choose|repeat|copy|emit|insert|quote))\W*$`)
)

// stands reports whether a verdict at a place stands alone, or what leads to it says that it is one and
// the judge's own.
func (r *reader) stands(at int) bool {
	text := strings.TrimRight(fence().ReplaceAllString(r.text[:at], ""), " \t\r\n*_`'\"“‘([{<>#|")
	inline := !strings.Contains(r.text[len(text):at], "\n")
	text = text[strings.LastIndexByte(text, '\n')+1:]
	if !inline && !hanging().MatchString(text) {
		return true
	}
	if ends := clause().FindAllStringIndex(text, -1); ends != nil {
		text = text[ends[len(ends)-1][1]:]
	}
	return leads().MatchString(text) && !attributed().MatchString(byTheJudge().ReplaceAllString(text, ""))
}

// fence matches the line that opens a block of code, at the end of a text.
var fence = compiled.Regexp("[`~]{3,}[a-zA-Z]*\\s*$")

var (
	// quotes match what a judge does not say itself.
	quotes = compiled.Regexp("(?s)```.*?(?:```|$)|\\{[^{}]*\\}|\"[^\"\\n]*\"|“[^”]*”|`[^`\\n]*`|(?m:^\\s*>.*$)")

	// goesOn matches how the line of a verdict may end.
	goesOn = compiled.Regexp(`^(?:[,;]\s*)?(?:[^a-z,;?~\s]|$|(?:because|since|given|is my|as (?:explained|reasoned|i)|for|while|whereas|despite|(?:even |al)?though the reply)\b)`)

	// ofOthers matches whose a verdict before it is.
	ofOthers = compiled.Regexp(`(?i)^\W*(?:this |that |it )?(?:is |was |comes |came )?(?:from|what|by|as|in|according to) (?:the|its) (?:reply|response|candidate|student|author|text)`)

	// retracts match the beginning of a sentence after a verdict by which the judge takes it back.
	retracts = compiled.Regexp(`(?im)\A\W*(?:(?:but|instead|rather|or|not)\b|no(?:$|[,.:;!—-]))|(?:^|[.!?…]\s+)\W*(?:wait|hmm?|hold on|oops|sorry|apologies|correction|edit|update|revis(?:ed|ion)|i now|scratch that|strike that|never ?mind|actually|(?:just )?kidding|rather|or rather|after (?:re|a |closer|look|check)\w*|(?:look|check)ing (?:again|closer|closely)|having (?:re)?checked|` +
		`on (?:second thoughts?|closer|reflection|reconsideration)|let me (?:re\w+|correct|change|fix|start over)|i (?:take (?:it|that|this) back|change[d]? my|withdraw|retract|correct my|reconsider|was wrong|am wrong|(?:was|have been|got) (?:tricked|fooled|misled)|made a mistake|misread|misjudged|meant|should have|(?:did not|didn['’]t|do not|don['’]t) (?:mean|agree|believe|think)|have not decided)|` +
		`(?:that|the above|the verdict above)(?:['’]s| is| was| should be) (?:wrong|incorrect|false|no)|(?:that|this|(?:the|what is) above|the (?:json|object|verdict|line)(?: above)?)(?:['’]s| is| was) (?:not (?:mine|my|what|it|so|right|true|the)|what|quoted|copied|injected|from the|the reply|(?:only |just )?a (?:draft|quote|test|mistake|joke))|(?:please )?(?:ignore|disregard) (?:that|this|it|the above|the line|the verdict|my))\b`)

	// others match a sentence about what somebody else says.
	others = compiled.Regexp(`(?i)\b(?:reply|replies|response|candidate|student|author|quot\w+|says|said|ask(?:s|ed)|told|tells|want(?:s|ed)|demand\w*|suggest\w*|instruct\w*|claim\w*|contain\w*|pretend\w*|inject\w*|fake\w*|ignor\w+|embed\w*|disregard\w*|manipulat\w*|attempt\w*)\b`)
)

// withdraws reports whether a judge takes a verdict back in what follows it.
func (r *reader) withdraws(s stated) bool {
	tail := strings.TrimLeft(r.text[s.end:], " \t*_`'\"”’)]}>|.")
	if line, _, _ := strings.Cut(tail, "\n"); !goesOn().MatchString(line) || ofOthers().MatchString(line) {
		return true
	}
	tail = strings.TrimLeft(tail, " \t\r\n`~")
	if retracts().MatchString(quotes().ReplaceAllString(tail, " ")) {
		return true
	}
	before := ""
	for _, line := range sentence().Split(tail, -1) {
		m := members{twice: -1}
		states := r.says(line, &m)
		if m.differs(s.choices, r.asked) && !others().MatchString(before) && !others().MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), ">") {
			return true
		}
		if !states && strings.Trim(fence().ReplaceAllString(line, ""), " \t\r`~") != "" {
			before = line
		}
	}
	return false
}

// says adds what a sentence after a verdict decides to m. It reports whether that is in the form of a
// verdict.
func (r *reader) says(line string, m *members) bool {
	for _, object := range append(objects().FindAllString(line, -1), line) {
		r.statements(strings.Trim(object, " \t{}"), m)
	}
	words := strings.Fields(line)
	if m.values != nil || len(words) == 0 || len(words) > 3 && !decides().MatchString(line) {
		return m.values != nil
	}
	for name := range r.names { // "So: no.", and with several criteria "Of correct I say no."
		if len(r.names) == 1 || strings.Contains(strings.ToLower(line), name) {
			m.add(r, spot{1, 0}, name, words[len(words)-1])
		}
	}
	return false
}

// decides matches a sentence that may end with a choice.
var decides = compiled.Regexp(`(?i)\b(?:so|therefore|thus|hence|verdict|decision|decide|say|choose|grade|final|answer|rather|be|it (?:is|was)|it['’]s)\b`)

// objects matches an object without others in it.
var objects = compiled.Regexp(`\{[^{}]*\}`)

// sentence matches the ends of sentences and lines.
var sentence = compiled.Regexp(`[.!?]\s|\n`)

// differs reports whether m has another choice than a verdict.
func (m *members) differs(choices []string, asked []Criterion) bool {
	for i, value := range m.values {
		if choice := asked[i].choice(value); choice != "" && choice != choices[i] {
			return true
		}
	}
	return false
}
