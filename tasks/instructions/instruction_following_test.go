package instructions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestInstructionFollowingScore(t *testing.T) {
	item := followingItem{
		Topic: "gardens", Keywords: [2]string{"rain", "copper"}, MinWords: 15, MaxWords: 30,
		Instructions: []rule{{Kind: "sentence_length", N: 5}, {Kind: "no_commas", N: 1}},
	}
	const right = "Old gardens gather warm copper. Rain falls on quiet stones. Nobody minds the wet leaves."
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{right, 1, ""},
		{"\n" + right + " \r\n", 1, "space around it"},
		{strings.ReplaceAll(right, ". ", "!\n\n"), 1, "other signs and paragraphs"},
		{strings.ToUpper(right), 1, "capitals"},
		{strings.Replace(right, "Nobody minds", "Nobody,  minds", 1), 0, "a comma"},
		{strings.Replace(right, "wet ", "", 1), 0, "a sentence of four words, and fewer words than wanted"},
		{right + " Nobody minds the falling rain at all.", 0, "a sentence of seven words"},
		{right + " " + right, 1, "30 words are the most"},
		{right + " " + right + " Nobody minds the wet leaves.", 0, "and 35 too many"},
		{strings.Replace(right, "gardens", "garden", 1), 0, "another form of the topic"},
		{strings.Replace(strings.Replace(right, "copper", "silver", 1), "leaves", "copper", 1), 0, "the words in the other order"},
		{strings.Replace(right, "copper", "silver", 1), 0, "without a word"},
		{right + "\x00", 0, "a control character"},
		{strings.Repeat(right+" ", 200), 0, "far too long"},
		{"...", 0, "no words"},
	})
}

// The signs of a text count as they are written: none is read as another notation of a value.
func TestInstructionFollowingTakesTextsAsTheyAre(t *testing.T) {
	item := followingItem{Topic: "gardens", Keywords: [2]string{"rain", "copper"}, MinWords: 5, MaxWords: 30}
	for _, test := range []struct {
		keep  rule
		text  string
		right bool
	}{
		{rule{Kind: "placeholders", N: 2}, "[Name] likes gardens of copper and rain, says [friend].", true},
		{rule{Kind: "placeholders", N: 2}, "(Name) likes gardens of copper and rain, says (friend).", false},
		{rule{Kind: "no_commas", N: 1}, "Gardens of copper need 1000 days of rain.", true},
		{rule{Kind: "no_commas", N: 1}, "Gardens of copper need 1,000 days of rain.", false},
	} {
		item.Instructions = []rule{test.keep}
		p := quintain.Problem{Task: instructionFollowing.Name, Instance: quintain.NewRecord(item)}
		got, err := instructionFollowing.Task().Grade(p, test.text)
		if err != nil || got.Score == 1 != test.right {
			t.Errorf("%s: %q gets %+v, %v, want right: %v", test.keep.Kind, test.text, got, err, test.right)
		}
	}
}

// TestInstructionKinds holds each kind to texts that keep it and texts that do not.
func TestInstructionKinds(t *testing.T) {
	tested := map[string]bool{}
	type row struct {
		rule rule
		kept []string
		not  []string
	}
	for _, test := range []row{
		{rule{Kind: "word_range", N: 3, M: 4}, []string{"One well-known word.", "a — b c d"}, []string{"One word.", "a b c d e"}},
		{rule{Kind: "word_multiple", N: 3}, []string{"a b c", "It's 3.5 km!"}, []string{"a b"}},
		{rule{Kind: "sentence_count", N: 2}, []string{"One. Two?", "One costs 3.5 now!\nTwo", "He said \"no.\" Then he left."}, []string{"One.", "One. Two. Three."}},
		{rule{Kind: "paragraph_count", N: 2}, []string{"One.\nStill one.\n\nTwo."}, []string{"One.\nTwo."}},
		{rule{Kind: "even_paragraphs", N: 2, M: 2}, []string{"A b. C.\n\nD. E!"}, []string{"A b. C.\n\nD.", "A. B."}},
		{rule{Kind: "number_count", N: 2}, []string{"1,200 of 3.5"}, []string{"1 200 of 3.5", "two 2"}},
		{rule{Kind: "long_words", N: 2, M: 4}, []string{"four more it"}, []string{"four the it"}},
		{rule{Kind: "keyword_frequency", N: 2, Words: []string{"day"}}, []string{"Day by day."}, []string{"Day by days.", "Day, day, day."}},
		{rule{Kind: "semicolons", N: 1}, []string{"a; b"}, []string{"a, b", "a; b; c"}},
		{rule{Kind: "comma_count", N: 1}, []string{"a, b"}, []string{"a b", "a, b, c"}},
		{rule{Kind: "no_commas", N: 1}, []string{"a; b"}, []string{"a, b"}},
		{rule{Kind: "parentheses", N: 1}, []string{"a (b c) d"}, []string{"a b", "a (b", "a () b", "(a) (b)", "((a))"}},
		{rule{Kind: "placeholders", N: 1}, []string{"a [b]", "[a] [b]"}, []string{"a b", "[a", "[]"}},
		{rule{Kind: "highlights", N: 1}, []string{"*a* b", "*a* *b c*"}, []string{"a b", "*a", "** a"}},
		{rule{Kind: "keywords", N: 1, Words: []string{"day", "sky"}}, []string{"Sky by day."}, []string{"Sky by days."}},
		{rule{Kind: "keywords_once", N: 1, Words: []string{"day", "sky"}}, []string{"Sky by day."}, []string{"Sky.", "Sky, day, sky."}},
		{rule{Kind: "forbidden_words", N: 1, Words: []string{"the", "a"}}, []string{"Then"}, []string{"See The end."}},
		{rule{Kind: "all_different", N: 1}, []string{"a b c"}, []string{"The cat saw the dog."}},
		{rule{Kind: "word_at", N: 2, Words: []string{"day"}}, []string{"A day."}, []string{"A b day.", "Day."}},
		{rule{Kind: "lower_case", N: 1}, []string{"a b é"}, []string{"A b", "É"}},
		{rule{Kind: "upper_case", N: 1}, []string{"A B 3"}, []string{"A b"}},
		{rule{Kind: "capital_words", N: 1}, []string{"I am SO glad"}, []string{"I am so glad", "I AM SO glad"}},
		{rule{Kind: "capital_initials", N: 1}, []string{"A Bc 3 Well-known"}, []string{"A bc"}},
		{rule{Kind: "letter_at_least", N: 2, Words: []string{"k"}}, []string{"Kick"}, []string{"like"}},
		{rule{Kind: "letter_at_most", N: 2, Words: []string{"k"}}, []string{"Kick", "a"}, []string{"Kick like"}},
		{rule{Kind: "lipogram", N: 1, Words: []string{"k"}}, []string{"a"}, []string{"K", "ask"}},
		{rule{Kind: "longest_word", N: 3}, []string{"The cat."}, []string{"The cats."}},
		{rule{Kind: "shortest_word", N: 3}, []string{"The cats."}, []string{"The ox."}},
		{rule{Kind: "initial_count", N: 2, Words: []string{"k"}}, []string{"Kim keeps a lake."}, []string{"Kim likes a lake."}},
		{rule{Kind: "no_initials", N: 1, Words: []string{"k", "l"}}, []string{"A silk ball."}, []string{"A Lake."}},
		{rule{Kind: "json_object", N: 1, Words: []string{"a", "b"}}, []string{`{"b": "x", "a": "y"}`}, []string{`{"a": "x"}`, `{"a": "x", "b": 1}`, `{"a": "x", "b": " "}`, `{"a": "x", "b": "y", "c": "z"}`, `{"a": "x", "a": "x", "b": "y"}`, `["a", "b"]`, "a b"}},
		{rule{Kind: "bullets", N: 2}, []string{"- a\n- b"}, []string{"- a\n* b", "- a", "Look:\n- a\n- b"}},
		{rule{Kind: "numbered_lines", N: 2}, []string{"1) a\n2) b"}, []string{"1) a\n3) b", "1) a", "1. a\n2. b"}},
		{rule{Kind: "line_words", N: 2, M: 2}, []string{"a b\nc d"}, []string{"a b\nc d e", "a b"}},
		{rule{Kind: "growing_lines", N: 2}, []string{"a b\nc de"}, []string{"a b\nc d", "a b"}},
		{rule{Kind: "title", N: 1}, []string{"<<A b>>\nc"}, []string{"<<A b>>", "<A>\nc", "<<>>\nc", "c\n<<A>>"}},
		{rule{Kind: "postscript", N: 1}, []string{"a b\nP.S. c"}, []string{"a b P.S. c", "P.S. c\na b", "a\nP.S."}},
		{rule{Kind: "start_phrase", N: 1, Words: []string{"Once upon"}}, []string{"Once upon a time"}, []string{"once upon a time", "It was once upon"}},
		{rule{Kind: "end_phrase", N: 1, Words: []string{"So it goes."}}, []string{"a. So it goes."}, []string{"So it goes. a", "so it goes"}},
		{rule{Kind: "closing_choice", N: 1, Words: []string{"I do.", "I do not."}}, []string{"a\nI do not."}, []string{"a I do.", "I do.", "a\nI do"}},
		{rule{Kind: "quotation", N: 1}, []string{`"a b"`, "“a b”"}, []string{`"a" b`, `"a "b" c"`, "a"}},
		{rule{Kind: "repeat_request", N: 1, Words: []string{"Do it."}}, []string{"Do it.\na"}, []string{"Do it. a", "Do it.", "a\nDo it."}},
		{rule{Kind: "sections", N: 2}, []string{"Section 1\na\nSection 2\nb"}, []string{"Section 1\na", "a\nSection 1\nb\nSection 2\nc", "Section 1\nSection 2\nb", "Section 1\na\nSection 2"}},
		{rule{Kind: "two_responses", N: 1}, []string{"a\n******\nb"}, []string{"a\n******\na", "a\n******", "a ****** b", "a\n******\nb\n******\nc"}},
		{rule{Kind: "sentence_length", N: 2}, []string{"A b. C d!"}, []string{"A b. C d e."}},
		{rule{Kind: "growing_sentences", N: 1}, []string{"A. B c. D e f."}, []string{"A. B c. D e.", "A b. C d e."}},
		{rule{Kind: "acrostic_paragraphs", N: 1, Words: []string{"on"}}, []string{"Our a.\n\nNo b."}, []string{"Our a. No b.", "No.\n\nOur.", "On"}},
		{rule{Kind: "acrostic_sentences", N: 1, Words: []string{"on"}}, []string{"Our a. No b."}, []string{"Our a.", "No. Our."}},
		{rule{Kind: "first_of_paragraph", N: 2, M: 2, Words: []string{"now"}}, []string{"A.\n\nNow b."}, []string{"Now a.\n\nB.", "A.\n\nB.\n\nNow c."}},
		{rule{Kind: "start_alike", N: 1, Words: []string{"now"}}, []string{"Now a. Now b."}, []string{"Now a. Then b."}},
		{rule{Kind: "end_alike", N: 1, Words: []string{"now"}}, []string{"A now. B now!"}, []string{"A now. B."}},
		{rule{Kind: "different_starts", N: 2}, []string{"A now. B now!"}, []string{"A now. A.", "A."}},
		{rule{Kind: "rising_starts", N: 2}, []string{"A now. C now!"}, []string{"C now. A.", "A. A.", "A."}},
		{rule{Kind: "chain_letters", N: 2}, []string{"A now. We see."}, []string{"A now. I see.", "A."}},
		{rule{Kind: "chain_words", N: 2}, []string{"A now. Now we see."}, []string{"A now. We see.", "A."}},
		{rule{Kind: "frame", N: 1, Words: []string{"day"}}, []string{"Day is day."}, []string{"Day is.", "A day."}},
		{rule{Kind: "alternate_marks", N: 2}, []string{"A. B! C."}, []string{"A. B.", "A! B.", "A."}},
		{rule{Kind: "question_count", N: 1}, []string{"A? B."}, []string{"A. B.", "A? B?"}},
		{rule{Kind: "growing_words", N: 1}, []string{"A an the. I am."}, []string{"A the an."}},
		{rule{Kind: "alternate_lengths", N: 1}, []string{"A an the. Be a."}, []string{"A the."}},
		{rule{Kind: "alternate_initials", N: 1}, []string{"A cat is big. No."}, []string{"A cat sits.", "I am."}},
	} {
		k, known := kindNamed(test.rule.Kind)
		if !known || test.rule.check() != nil || len(test.kept) == 0 || len(test.not) == 0 {
			t.Fatalf("the row of %+v has no kind, no valid rule, or not both kinds of texts: %v", test.rule, test.rule.check())
		}
		for _, text := range test.kept {
			if why := k.check(test.rule, readProse(text)); why != "" {
				t.Errorf("%+v refuses %q: %s", test.rule, text, why)
			}
		}
		for _, text := range test.not {
			if k.check(test.rule, readProse(text)) == "" {
				t.Errorf("%+v takes %q", test.rule, text)
			}
		}
		tested[k.name] = true
	}
	for _, k := range kinds {
		if !tested[k.name] {
			t.Errorf("%s has no row", k.name)
		}
	}
}

func TestInstructionFollowing(t *testing.T) {
	of := instructionFollowing.Task()
	tasktest.Refused(t, of, map[string]string{
		`{"min_instructions":0}`: "instructions", `{"max_instructions":6}`: "instructions", `{"min_tier":4}`: "tier",
		`{"min_words":5}`: "words", `{"min_words":50,"max_words":60}`: "max_words",
	})
	tasktest.RefusedRecords(t, of, []string{
		`{"topic":"games","keywords":["ice","ink"],"min_words":20,"max_words":90,"instructions":[]}`,
		`{"topic":"games","keywords":["ice","ink"],"min_words":20,"max_words":90,"instructions":[{"kind":"none","n":1}]}`,
		`{"topic":"games","keywords":["ice","ink"],"min_words":20,"max_words":90,"instructions":[{"kind":"lipogram","n":1}]}`,
		`{"topic":"games","keywords":["ice","ink"],"min_words":20,"max_words":90,"instructions":[{"kind":"lipogram","n":1,"words":["g"]}]}`,
		`{"topic":"games","keywords":["ice","ink"],"min_words":20,"max_words":90,"instructions":[{"kind":"upper_case","n":1},{"kind":"lower_case","n":1}]}`,
		`{"topic":"Games","keywords":["ice","ink"],"min_words":20,"max_words":90,"instructions":[{"kind":"no_commas","n":1}]}`,
	})
	tasktest.Variant(t, of, "the order of the instructions", func(f *followingItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, f.Instructions)
		return nil
	})
	tasktest.Variant(t, of, "the order of words in an instruction", func(f *followingItem, r *rng.Rand) func(string) string {
		for i := range f.Instructions {
			rng.Shuffle(r, f.Instructions[i].Words)
		}
		return nil
	})
	tasktest.Other(t, of, "another keyword", func(f *followingItem) {
		changed := *f
		changed.Keywords[0] = "moss"
		if f.Keywords[1] != "moss" && task.Check(changed) == nil {
			*f = changed
		}
	})
	met := map[string]int{}
	tasktest.Every(t, of, tasktest.Count(1600, 400), func(f followingItem, prompt, got string) error {
		words := folded(wordsRE.FindAllString(got, -1))
		if slices.Index(words, f.Keywords[1]) > slices.Index(words, f.Keywords[0]) || !slices.Contains(words, f.Topic) || !slices.Contains(words, f.Keywords[1]) {
			return fmt.Errorf("the words of %q do not stand in order", got)
		}
		for _, r := range f.Instructions {
			if met[r.Kind]++; !seconds[r.Kind](r, got) {
				return fmt.Errorf("%q does not keep %+v", got, r)
			}
			if !strings.Contains(prompt, r.say(f.Phrasing)) {
				return fmt.Errorf("the prompt does not say %q", r.say(f.Phrasing))
			}
		}
		return nil
	})
	for _, k := range kinds {
		if met[k.name] == 0 {
			t.Errorf("no problem has the kind %s", k.name)
		}
	}
}
