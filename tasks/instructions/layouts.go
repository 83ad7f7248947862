package instructions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// layoutKinds say how the text begins, how it ends, and how its lines look.
var layoutKinds = []kind{
	{
		name: "json_object", tier: 2, words: 2, takes: shape | head | tail, refuses: everySentence | letterCase | commas | stars | wordCount,
		says:  []string{"The whole text is one JSON object with exactly the keys %l, whose values are strings that are not empty.", "Wrap everything in a single JSON object: its keys are %l and no others, and each value is a string with some text."},
		draw:  someOf(jsonKeys, 2, 4),
		check: checkObject,
		plan: func(r rule, d *draft) {
			d.count, d.extra, d.layout = len(r.Words), d.extra+len(r.Words), objectLayout(r.Words)
		},
	},
	{
		name: "bullets", tier: 1, takes: shape | sentenceCount, refuses: head | tail,
		says: []string{"The text is a list of exactly %n lines, and each of them starts with \"- \".", "Write nothing but %n bullet points: each is one line that starts with a hyphen and a space."},
		draw: numbers(3, 8),
		check: func(r rule, p *prose) string {
			for i, line := range p.lines {
				if !strings.HasPrefix(line, "- ") {
					return fmt.Sprintf("line %d does not start with a hyphen and a space", i+1)
				}
			}
			return differs("bullet points", len(p.lines), r.N)
		},
		plan: func(r rule, d *draft) {
			d.count, d.layout = r.N, linesWith(func(int) string { return "- " })
		},
	},
	{
		name: "numbered_lines", tier: 2, takes: shape | sentenceCount | digits, refuses: everySentence | head | tail | wordCount,
		says: []string{"The text has exactly %n lines, which start with their numbers and a bracket: \"1) \", \"2) \" and so on.", "Write %n numbered lines and nothing else; the first starts with \"1) \", the second with \"2) \", and so on."},
		draw: numbers(3, 7),
		check: func(r rule, p *prose) string {
			for i, line := range p.lines {
				if !strings.HasPrefix(line, strconv.Itoa(i+1)+") ") {
					return fmt.Sprintf("line %d does not start with %d and a bracket", i+1, i+1)
				}
			}
			return differs("lines", len(p.lines), r.N)
		},
		plan: func(r rule, d *draft) {
			d.count, d.extra, d.layout = r.N, d.extra+r.N, linesWith(func(i int) string { return strconv.Itoa(i+1) + ") " })
		},
	},
	{
		name: "line_words", tier: 2, takes: shape | sentenceCount | sentenceWords, refuses: head | tail, counts: ofWords,
		says: []string{"The text is a poem of %n lines, and each line has exactly %m words.", "Write %n lines with exactly %m words on each."},
		draw: func(r *rng.Rand) rule { return rule{N: r.Between(4, 9), M: r.Between(4, 8)} },
		check: func(r rule, p *prose) string {
			for i, line := range p.lines {
				if n := len(readProse(line).words); n != r.M {
					return fmt.Sprintf("line %d has %d words, want %d", i+1, n, r.M)
				}
			}
			return differs("lines", len(p.lines), r.N)
		},
		plan: func(r rule, d *draft) {
			d.count, d.length, d.layout = r.N, func(int) int { return r.M }, linesWith(func(int) string { return "" })
		},
	},
	{
		name: "growing_lines", tier: 2, takes: shape | sentenceCount | sentenceWords, refuses: head | tail,
		says: []string{"The text has %n lines, and each line is longer than the one above it, counted in characters.", "Write %n lines; every line but the first has more characters than the line before."},
		draw: numbers(4, 8),
		check: func(r rule, p *prose) string {
			for i := 1; i < len(p.lines); i++ {
				if letters(p.lines[i]) <= letters(p.lines[i-1]) {
					return fmt.Sprintf("line %d is not longer than line %d", i+1, i)
				}
			}
			return differs("lines", len(p.lines), r.N)
		},
		plan: func(r rule, d *draft) {
			d.count, d.length, d.layout = r.N, func(i int) int { return 3 + 2*i }, linesWith(func(int) string { return "" })
		},
	},
	{
		name: "title", tier: 1, takes: head, refuses: everySentence | shape,
		says: []string{"The first line is a title in double angle brackets, like <<My title>>.", "Begin with a line of its own that has the title, enclosed as <<title>>."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			line := p.lines[0]
			if !strings.HasPrefix(line, "<<") || !strings.HasSuffix(line, ">>") || len(readProse(line).words) == 0 || len(p.lines) < 2 {
				return "the first line is no title in double angle brackets"
			}
			return ""
		},
		plan: func(_ rule, d *draft) { d.before("<<"+d.any()+">>", "\n") },
	},
	{
		name: "postscript", tier: 1, takes: tail, refuses: everySentence | shape | letterCase,
		says: []string{"The last line is a postscript that starts with \"P.S.\"", "Add a postscript as the last line; it starts with \"P.S.\" and says something."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			last := p.lines[len(p.lines)-1]
			if !strings.HasPrefix(last, "P.S.") || len(readProse(last).words) < 2 || len(p.lines) < 2 {
				return "the last line is no postscript"
			}
			return ""
		},
		plan: func(_ rule, d *draft) { d.after("P.S. "+d.any()+" "+d.any(), "\n") },
	},
	{
		name: "start_phrase", tier: 1, words: 1, takes: head, refuses: everySentence | shape | letterCase,
		says: []string{"The text starts with the exact words %w.", "Begin with exactly this phrase: %w"},
		draw: oneOf(openings, 1, 1),
		check: func(r rule, p *prose) string {
			if !strings.HasPrefix(p.raw, r.Words[0]) {
				return fmt.Sprintf("the text does not start with %q", r.Words[0])
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.before(r.Words[0], " ") },
	},
	{
		name: "end_phrase", tier: 1, words: 1, takes: tail, refuses: everySentence | shape | letterCase,
		says: []string{"The text ends with exactly this sentence, and nothing follows it: %w", "Let the very last words be: %w"},
		draw: oneOf(endings, 1, 1),
		check: func(r rule, p *prose) string {
			if !strings.HasSuffix(p.raw, r.Words[0]) {
				return fmt.Sprintf("the text does not end with %q", r.Words[0])
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.after(r.Words[0], " ") },
	},
	{
		name: "closing_choice", tier: 1, words: 2, takes: tail, refuses: everySentence | shape | letterCase,
		says: []string{"The last line is one of these, alone and unchanged: %l.", "Close with a line that has one of %l and nothing else."},
		draw: someOf(choices, 2, 3),
		check: func(r rule, p *prose) string {
			if len(p.lines) < 2 || !slices.Contains(r.Words, p.lines[len(p.lines)-1]) {
				return "the last line is none of those to choose from"
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.after(r.Words[0], "\n") },
	},
	{
		name: "quotation", tier: 1, takes: head | tail,
		says: []string{"The whole text stands in double quotation marks, and there are no others in it.", "Put double quotation marks around the text as a whole, and use none inside."},
		draw: numbers(1, 1),
		check: func(_ rule, p *prose) string {
			straight := strings.NewReplacer("“", `"`, "”", `"`).Replace(p.raw)
			if len(straight) < 3 || straight[0] != '"' || straight[len(straight)-1] != '"' {
				return "the text does not stand in double quotation marks"
			}
			return differs("quotation marks", count(straight, '"'), 2)
		},
		plan: func(_ rule, d *draft) {
			d.finish = append(d.finish, func(text string) string { return `"` + text + `"` })
		},
	},
	{
		name: "repeat_request", tier: 1, words: 1, takes: head, refuses: everySentence | shape | letterCase,
		says: []string{"The first line repeats this request word for word, and the text begins below it: %w", "Before you begin, copy this request unchanged onto a line of its own: %w"},
		draw: oneOf(requests, 1, 1),
		check: func(r rule, p *prose) string {
			if len(p.lines) < 2 || p.lines[0] != r.Words[0] {
				return "the first line is not the request"
			}
			return ""
		},
		plan: func(r rule, d *draft) { d.before(r.Words[0], "\n") },
	},
	{
		name: "sections", tier: 2, takes: shape | digits, refuses: everySentence | head | letterCase | wordCount,
		says:  []string{"The text has exactly %n sections. Each begins with a line of its own: \"Section 1\", \"Section 2\" and so on.", "Divide it into %n sections, headed by the lines \"Section 1\", \"Section 2\" and so on, with some text in each."},
		draw:  numbers(2, 4),
		check: checkSections,
		plan: func(r rule, d *draft) {
			d.paragraphs, d.extra = r.N, d.extra+2*r.N
			d.heading = func(i int) string { return "Section " + strconv.Itoa(i+1) + "\n" }
		},
	},
	{
		name: "two_responses", tier: 2, takes: shape | stars, refuses: everySentence | head | tail,
		says:  []string{"Give two different texts instead of one, with a line of six asterisks, ******, between them; all the rest holds for both together.", "Write two versions that differ, separated by the line ****** and nothing else; they count as one text for the rest."},
		draw:  numbers(1, 1),
		check: checkTwo,
		plan: func(_ rule, d *draft) {
			d.paragraphs = 2
			d.heading = func(i int) string { return strings.Repeat("******\n", i) }
		},
	},
}

// checkObject holds a text to be one object with the keys of the rule.
func checkObject(r rule, p *prose) string {
	if fault := strictjson.Check([]byte(p.raw), 4); fault != nil {
		return "the text is no valid JSON: " + fault.Error()
	}
	value, err := answer.ReadJSON(p.raw)
	object, ok := value.(map[string]any)
	if err != nil || !ok || len(object) != len(r.Words) {
		return fmt.Sprintf("the text is no JSON object with %d keys", len(r.Words))
	}
	for _, key := range r.Words {
		if text, ok := object[key].(string); !ok || answer.Trim(text) == "" {
			return fmt.Sprintf("key %q has no text", key)
		}
	}
	return ""
}

// objectLayout writes the sentences as the values of an object.
func objectLayout(keys []string) func([]string) string {
	return func(sentences []string) string {
		var b strings.Builder
		for i, key := range keys {
			b.WriteString(map[bool]string{true: "{", false: ", "}[i == 0] + strconv.Quote(key) + ": " + strconv.Quote(sentences[i]))
		}
		return b.String() + "}"
	}
}

// linesWith writes each sentence on a line, after its prefix.
func linesWith(prefix func(i int) string) func([]string) string {
	return func(sentences []string) string {
		var b strings.Builder
		for i, text := range sentences {
			b.WriteString(prefix(i) + text + "\n")
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
}

// checkSections wants text below each of the headings, and none above the first.
func checkSections(r rule, p *prose) string {
	headings := 0
	for i, line := range p.lines {
		heading := line == "Section "+strconv.Itoa(headings+1)
		if heading {
			headings++
		}
		if i == 0 && !heading {
			return "the first line is not the heading of section 1"
		}
		if heading && (i+1 == len(p.lines) || p.lines[i+1] == "Section "+strconv.Itoa(headings+1)) {
			return fmt.Sprintf("section %d has no text", headings)
		}
	}
	return differs("sections", headings, r.N)
}

// checkTwo wants two different texts around a line of asterisks.
func checkTwo(_ rule, p *prose) string {
	at := slices.Index(p.lines, "******")
	if at <= 0 || at == len(p.lines)-1 || slices.Contains(p.lines[at+1:], "******") {
		return "there are not two texts with one line of six asterisks between them"
	}
	if strings.Join(p.lines[:at], " ") == strings.Join(p.lines[at+1:], " ") {
		return "the two texts are the same"
	}
	return ""
}
