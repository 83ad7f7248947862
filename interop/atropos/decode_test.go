package atropos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// with returns a group of two sequences with additional fields.
func with(more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"tokens":[[1,2,3],[4]],"masks":[[-100,2,3],[4]],"scores":[1,0.5]` + more + `}`
}

const bare = `{"tokens":[[1,2,3],[4]],"masks":[[-100,2,3],[4]],"scores":[1.0,0.5],"advantages":null,"ref_logprobs":null,` +
	`"messages":null,"generation_params":null,"inference_logprobs":null,"overrides":null,"group_overrides":null,` +
	`"images":null,"env_id":null,"distill_token_ids":null,"distill_logprobs":null}`

func TestDecodedGroupsAreWrittenInFull(t *testing.T) {
	for _, test := range []struct{ why, in, want string }{
		{"all fourteen keys, with null for absent fields", with(""), bare},
		{"unknown fields are ignored", with(`"more":{"a":[1,{"b":"\ud83d\ude00"}]},"ID":7`), bare},
		{"an id that is not a string is ignored", with(`"id":7`), bare},
		{"an empty optional list is absent", with(`"advantages":[],"ref_logprobs":[],"overrides":[],"distill_token_ids":[]`), bare},
		{"null is absent", with(`"advantages":null,"messages":null,"env_id":null,"images":null,"overrides":null`), bare},
		{"the last of two fields with one name counts", `{"scores":[7,8],` + with("")[1:], bare},
		{"keys may be escaped", strings.Replace(with(""), `"tokens"`, `"t\u006fkens"`, 1), bare},
		{"a byte-order mark", "\ufeff" + with(""), bare},
		{"white space anywhere", strings.NewReplacer(",", " ,\n\t", ":", "\r :  ", "[", "[ ", "]", " ]").Replace(with("")) + "\n", bare},
		{"messages with everything that is allowed in them",
			with(`"messages":[[{"role":"user","content":"a\u2028b"},{"content":null,"role":7,"x":[1.0,1,1e3]}],[]]`),
			strings.Replace(bare, `"messages":null`, `"messages":[[{"role":"user","content":"a\u2028b"},{"content":null,"role":7,"x":[1.0,1,1e3]}],[]]`, 1)},
		{"free-form fields keep their digits and their order",
			with(`"generation_params":{"z":1.0,"a":1,"n":18446744073709551617,"f":0.10},"images":[5.00,"é\u00e9"]`),
			strings.NewReplacer(`"generation_params":null`, `"generation_params":{"z":1.0,"a":1,"n":18446744073709551617,"f":0.10}`,
				`"images":null`, `"images":[5.00,"é\u00e9"]`).Replace(bare)},
		{"line breaks in free-form fields do not break the line",
			with("\"group_overrides\":{\n\"a b\":\r\n1 }"), strings.Replace(bare, `"group_overrides":null`, `"group_overrides":{"a b":1 }`, 1)},
		{"an advantage for each token, or one for a whole sequence",
			with(`"advantages":[[1],[2]],"overrides":[{},{"sft":true}],"env_id":0`),
			strings.NewReplacer(`"advantages":null`, `"advantages":[[1.0],[2.0]]`, `"overrides":null`, `"overrides":[{},{"sft":true}]`,
				`"env_id":null`, `"env_id":0`).Replace(bare)},
		{"a negative env_id is kept", with(`"env_id":-1`), strings.Replace(bare, `"env_id":null`, `"env_id":-1`, 1)},
		{"distillation", with(`"distill_token_ids":[[[1,2],[3,4],[5,6]],[[7,8]]],"distill_logprobs":[[[-1,-2],[],[0]],[]]`),
			strings.NewReplacer(`"distill_token_ids":null`, `"distill_token_ids":[[[1,2],[3,4],[5,6]],[[7,8]]]`,
				`"distill_logprobs":null`, `"distill_logprobs":[[[-1.0,-2.0],[],[0.0]],[]]`).Replace(bare)},
		{"lengths of advantages that do not match are left to DropUnfit",
			with(`"advantages":[[1,2,3,4],[5]]`), strings.Replace(bare, `"advantages":null`, `"advantages":[[1.0,2.0,3.0,4.0],[5.0]]`, 1)},
	} {
		g, err := DecodeGroup([]byte(test.in))
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if got := string(AppendGroup(nil, g)); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.why, got, test.want)
		}
	}
}

func TestNumbersAreReadLikeTheOriginal(t *testing.T) {
	for _, test := range []struct{ in, token, score string }{ // results for a token and for a score; "!type": refused
		{`5`, "5", "5.0"},
		{`0`, "0", "0.0"},
		{`-0`, "0", "0.0"},
		{`-7`, "-7", "-7.0"},
		{`2147483647`, "2147483647", "2147483647.0"},
		{`-2147483648`, "-2147483648", "-2147483648.0"},
		{`2147483648`, "!less_than_equal", "2147483648.0"},
		{`12345678901234567890123`, "!less_than_equal", "1.2345678901234568e+22"},
		{`5.0`, "5", "5.0"},
		{`5.000`, "5", "5.0"},
		{`-0.0`, "0", "-0.0"},
		{`1e2`, "100", "100.0"},
		{`2.0E+0`, "2", "2.0"},
		{`5.5`, "!int_from_float", "5.5"},
		{`1e-3`, "!int_from_float", "0.001"},
		{`1e-5`, "!int_from_float", "1e-05"},
		{`0.0001`, "!int_from_float", "0.0001"},
		{`1e16`, "!less_than_equal", "1e+16"},
		{`9007199254740993`, "!less_than_equal", "9007199254740992.0"},
		{`5e-324`, "!int_from_float", "5e-324"},
		{`1.7976931348623157e308`, "!less_than_equal", "1.7976931348623157e+308"},
		{`0.1234567890123456789012345678901234567890`, "!int_from_float", "0.12345678901234568"},
		{`0.00000000000000000000001`, "!int_from_float", "1e-23"},
		{`true`, "1", "1.0"},
		{`false`, "0", "0.0"},
		{`"5"`, "5", "5.0"},
		{`" 5\n"`, "5", "5.0"},
		{`"+5"`, "5", "5.0"},
		{`"05"`, "5", "5.0"},
		{`"5_0"`, "50", "50.0"},
		{`"5.00"`, "5", "5.0"},
		{`"\u0035"`, "5", "5.0"},
		{`"5."`, "!int_parsing", "5.0"},
		{`".5"`, "!int_parsing", "0.5"},
		{`"1e2"`, "!int_parsing", "100.0"},
		{`"1_0.5"`, "!int_parsing", "10.5"},
		{`""`, "!int_parsing", "!float_parsing"},
		{`"5_"`, "!int_parsing", "!float_parsing"},
		{`"5__0"`, "!int_parsing", "!float_parsing"},
		{`"0x10"`, "!int_parsing", "!float_parsing"},
		{`"0x1p4"`, "!int_parsing", "!float_parsing"},
		{`"true"`, "!int_parsing", "!float_parsing"},
		{`"nan"`, "!int_parsing", "!finite_number"},
		{`"inf"`, "!int_parsing", "!finite_number"},
		{`"-Infinity"`, "!int_parsing", "!finite_number"},
		{`"1e400"`, "!int_parsing", "!finite_number"},
		{`NaN`, "!finite_number", "!finite_number"},
		{`Infinity`, "!finite_number", "!finite_number"},
		{`-Infinity`, "!finite_number", "!finite_number"},
		{`1e999`, "!finite_number", "!finite_number"},
		{strings.Repeat("9", 400), "!less_than_equal", "!finite_number"},
		{strings.Repeat("9", 5000), "!unreadable", "!unreadable"},
		{`null`, "!int_type", "!float_type"},
		{`[]`, "!int_type", "!float_type"},
		{`{}`, "!int_type", "!float_type"},
		{`007`, "!json_invalid", "!json_invalid"},
		{`+5`, "!json_invalid", "!json_invalid"},
		{`1.`, "!json_invalid", "!json_invalid"},
		{`.5`, "!json_invalid", "!json_invalid"},
		{`1.e3`, "!json_invalid", "!json_invalid"},
		{`1e`, "!json_invalid", "!json_invalid"},
		{`-`, "!json_invalid", "!json_invalid"},
		{`0x10`, "!json_invalid", "!json_invalid"},
		{`nul`, "!json_invalid", "!json_invalid"},
	} {
		check := func(what, text, want string, show func(*quintain.Group) string) {
			t.Helper()
			g, err := DecodeGroup([]byte(text))
			var f *Error
			var got string
			if errors.As(err, &f) {
				got = "!" + f.Type
			} else {
				got = show(g)
			}
			if got != want {
				t.Errorf("%s %.40s: got %s, want %s (%v)", what, test.in, got, want, err)
			}
		}
		check("token", `{"tokens":[[`+test.in+`]],"masks":[[0]],"scores":[0]}`, test.token,
			func(g *quintain.Group) string { return strconv.Itoa(int(g.Tokens[0][0])) })
		check("token before others", `{"tokens":[[1,`+test.in+`, 2]],"masks":[[0,0,0]],"scores":[0]}`, test.token,
			func(g *quintain.Group) string { return strconv.Itoa(int(g.Tokens[0][1])) })
		check("score", `{"tokens":[[1]],"masks":[[0]],"scores":[`+test.in+`]}`, test.score,
			func(g *quintain.Group) string { return string(AppendFloat(nil, g.Scores[0])) })
		check("score before others", `{"tokens":[[1],[1],[1]],"masks":[[0],[0],[0]],"scores":[0,`+test.in+`, 0]}`, test.score,
			func(g *quintain.Group) string { return string(AppendFloat(nil, g.Scores[1])) })
	}
}

func TestInvalidGroupsAreRefused(t *testing.T) {
	deep := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	for _, test := range []struct{ why, in, want string }{
		{"an empty body", "", "missing [] Field required"},
		{"not an object", "[1]", "model_attributes_type []"},
		{"a missing required field", `{"tokens":[[1]],"scores":[1]}`, "missing [masks]"},
		{"null instead of a list", `{"tokens":null,"masks":[],"scores":[]}`, "list_type [tokens]"},
		{"null instead of a row", `{"tokens":[[1],null],"masks":[],"scores":[]}`, "list_type [tokens 1]"},
		{"the path to a number", `{"tokens":[[1,2],[3,2.5]],"masks":[],"scores":[]}`, "int_from_float [tokens 1 1]"},
		{"the path in three dimensions", with(`"distill_logprobs":[[[1],["x"]]]`), "float_parsing [distill_logprobs 0 1 0]"},
		{"no sequences", `{"tokens":[],"masks":[],"scores":[]}`, "value_error [tokens]"},
		{"too many scores", `{"tokens":[[1]],"masks":[[1]],"scores":[1,2]}`, "value_error [scores]"},
		{"too long a mask", `{"tokens":[[1],[1]],"masks":[[1],[1,2]],"scores":[1,2]}`, "value_error [masks 1]"},
		{"too few log-probabilities", with(`"inference_logprobs":[[1,1],[1]]`), "value_error [inference_logprobs 0]"},
		{"too few overrides", with(`"overrides":[{}]`), "value_error [overrides]"},
		{"an override that is not an object", with(`"overrides":[{},5]`), "dict_type [overrides 1]"},
		{"generation_params that are not an object", with(`"generation_params":[]`), "dict_type [generation_params]"},
		{"group_overrides that are not an object", with(`"group_overrides":"x"`), "dict_type [group_overrides]"},
		{"messages that are not a list", with(`"messages":{}`), "list_type [messages]"},
		{"a conversation that is not a list", with(`"messages":[{}]`), "list_type [messages 0]"},
		{"a message that is not an object", with(`"messages":[[5]]`), "dict_type [messages 0 0]"},
		{"a message that is a string", with(`"messages":[["role content"]]`), "dict_type [messages 0 0]"},
		{"a message without a role", with(`"messages":[[{"role":"a","content":"b"}],[{"content":"x"}]]`), "missing [messages 1 0 role]"},
		{"a message without a content", with(`"messages":[[{"role":"x"}]]`), "missing [messages 0 0 content]"},
		{"an env_id with a fraction", with(`"env_id":1.5`), "int_from_float [env_id]"},
		{"an env_id out of range", with(`"env_id":2147483648`), "less_than_equal [env_id]"},
		{"too long an id", with(`"id":"` + strings.Repeat("x", 300) + `"`), "value_error [id]"},
		{"an id with a control character", with(`"id":"a\nb"`), "value_error [id]"},
		{"a lone surrogate in a message", with(`"messages":[[{"role":"u","content":"\ud83d"}]]`), "string_unicode [messages 0 0 content]"},
		{"a lone low surrogate", with(`"images":{"a":["\ude00"]}`), "string_unicode [images a 0]"},
		{"two high surrogates", with(`"images":"\ud83d\ud83d"`), "string_unicode [images]"},
		{"a lone surrogate in an ignored field", with(`"x":"\ud83d-"`), "string_unicode [x]"},
		{"NaN in a free-form field", with(`"generation_params":{"a":[1,NaN]}`), "finite_number [generation_params a 1]"},
		{"an infinite number in a free-form field", with(`"images":1e999`), "finite_number [images]"},
		{"too deep nesting", with(`"images":` + deep), "unreadable"},
		{"bad UTF-8", "{\"\xff\":1}", "unreadable"},
		{"a control character in a string", "{\"a\":\"\x01\"}", "json_invalid [6]"},
		{"an unknown escape", `{"a":"\x"}`, "json_invalid [7]"},
		{"an escape with bad digits", `{"a":"\u00zz"}`, "json_invalid"},
		{"a string without end", `{"a":"b`, "json_invalid [7]"},
		{"a list without end", `{"tokens":[[1,2`, "json_invalid [15]"},
		{"a comma too many in a list", `{"tokens":[[1,]]}`, "json_invalid [14]"},
		{"no comma between elements", `{"tokens":[[1 2]]}`, "json_invalid [14]"},
		{"a comma too many in an object", `{"a":1,}`, "json_invalid [7]"},
		{"no colon after a key", `{"a" 1}`, "json_invalid [5]"},
		{"a key without quotes", `{a:1}`, "json_invalid [1]"},
		{"more text after the group", with("") + "x", "json_invalid"},
	} {
		g, err := DecodeGroup([]byte(test.in))
		var f *Error
		if !errors.As(err, &f) {
			t.Errorf("%s: accepted as %v", test.why, g)
			continue
		}
		if got := fmt.Sprintf("%s %v %s", f.Type, f.Loc, f.Msg); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.why, got, test.want)
		}
		if body := f.AppendBody(nil); !json.Valid(body) || len(body) > 1000 {
			t.Errorf("%s: the error body is not short JSON: %s", test.why, body)
		}
	}
}

func TestErrorBodyIsThatOfTheOriginal(t *testing.T) {
	for _, test := range []struct{ why, in, want, text string }{
		{"the fields that clients look for", `{"tokens":[[1],[true,"x"]]}`,
			`{"detail":[{"type":"int_parsing","loc":["body","tokens",1,1],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"}]}`,
			"tokens[1][1]: Input should be a valid integer, unable to parse string as an integer"},
		{"the offset of a syntax error", `{"a":}`,
			`{"detail":[{"type":"json_invalid","loc":["body",5],"msg":"JSON decode error","input":{},"ctx":{"error":"want a value"}}]}`,
			"want a value at byte 5"},
		{"text that cannot be read at all", "\xff", `{"detail":"There was an error parsing the body"}`, "the body is not UTF-8"},
		{"a long input is not sent back", `{"tokens":"` + strings.Repeat("x", 100) + `"}`,
			`{"detail":[{"type":"list_type","loc":["body","tokens"],"msg":"Input should be a valid list","input":null}]}`,
			"tokens: Input should be a valid list"},
	} {
		_, err := DecodeGroup([]byte(test.in))
		var f *Error
		if !errors.As(err, &f) {
			t.Errorf("%s: taken", test.why)
			continue
		}
		if got := string(f.AppendBody(nil)); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.why, got, test.want)
		}
		if err.Error() != test.text {
			t.Errorf("%s: says %q, want %q", test.why, err, test.text)
		}
	}
}

func TestAListOfGroupsIsRead(t *testing.T) {
	for _, test := range []struct {
		why, in string
		n       int
		fault   string
	}{
		{"none", "[]", 0, ""},
		{"two", "[" + with("") + " , " + with(`"id":"x"`) + "]", 2, ""},
		{"not a list", with(""), 0, "list_type []"},
		{"a fault in the second", "[" + with("") + `,{"tokens":[["x"]]}]`, 0, "int_parsing [1 tokens 0 0]"},
		{"the second is not a group", "[" + with("") + `,5]`, 0, "model_attributes_type [1]"},
		{"wrong lengths in the second", "[" + with("") + `,{"tokens":[[1]],"masks":[[]],"scores":[0]}]`, 0, "value_error [1 masks 0]"},
	} {
		groups, err := document([]byte(test.in), nil, readGroups)
		got := ""
		if err != nil {
			got = fmt.Sprint(err.Type, " ", err.Loc)
		}
		if len(groups) != test.n || got != test.fault {
			t.Errorf("%s: %d groups, %q; want %d, %q", test.why, len(groups), got, test.n, test.fault)
		}
	}
}

func TestDropUnfitRemovesMismatchedAdvantages(t *testing.T) {
	for _, test := range []struct{ why, advantages, fault string }{
		{"absent", `null`, ""},
		{"one for each token", `[[1,2,3],[4]]`, ""},
		{"one for each sequence", `[[1],[4]]`, ""},
		{"one too many", `[[1,2,3,4],[4]]`, "advantages[0]: has 4 elements, but tokens[0] has 3"},
		{"a sequence too few", `[[1,2,3]]`, "advantages: has 1 element, want one for each of the 2 sequences in tokens"},
	} {
		g, err := DecodeGroup([]byte(with(`"advantages":` + test.advantages)))
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		before, got := g.Advantages, ""
		if err := DropUnfit(g); err != nil {
			got, before = err.Error(), nil
		}
		if got != test.fault || !reflect.DeepEqual(g.Advantages, before) || g.Check() != nil {
			t.Errorf("%s: %q, left %v; want %q", test.why, got, g.Advantages, test.fault)
		}
	}
}

// TestFloatsAreReadExactly compares the fast way of reading floats with the slow one.
func TestFloatsAreReadExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"0.1", "123456.789", "9007199254740993", "9007199254740991e5", "1.7976931348623159e308", "2.2250738585072011e-308"}
	for range 40_000 {
		v := r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-25))
		switch r.IntN(4) {
		case 0:
			v = float64(float32(v))
		case 1:
			v = math.Float64frombits(r.Uint64())
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		text := strconv.FormatFloat(v, "efg"[r.IntN(3)], r.IntN(22)-1, 64)
		if text[len(text)-1] != '.' && !strings.Contains(text, "e+") {
			texts = append(texts, text)
		}
		texts = append(texts, fmt.Sprintf("%d.%de%d", r.IntN(20), r.Uint64(), r.IntN(60)-50))
		// Like log-probabilities: 13 to 22 digits after the point, some with leading zeros.
		digits := 13 + r.IntN(10)
		texts = append(texts, fmt.Sprintf("-%d.%0*d", r.IntN(2)*r.IntN(10), digits, r.Uint64()>>r.IntN(40)%uint64(math.Pow10(min(digits, 19)))))
	}
	// The hard cases: halfway between two floats, and one digit next to it.
	for range 4_000 {
		v := math.Float64frombits(0x3f00000000000000 + r.Uint64N(0x0100000000000000))
		half := fmt.Sprintf("%.19g", v+(math.Nextafter(v, 2)-v)/2)
		if !strings.Contains(half, "e") {
			texts = append(texts, half)
		}
	}
	for _, text := range texts {
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || text == "-0" { // an integer, which has no sign
			continue
		}
		g, err := DecodeGroup([]byte(`{"scores":[` + text + `,` + text + `],"tokens":[[1],[1]],"masks":[[1],[1]]}`))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, got := range g.Scores {
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%s: read as %v, want %v", text, got, want)
			}
		}
	}
}

// TestRepeatedNumbers reads arrays in which a number is repeated.
func TestRepeatedNumbers(t *testing.T) {
	for _, test := range []struct {
		array string
		want  []float64
		why   string
	}{
		{"1.0, 1.0, 1.0, 1.0, 2.5, 1.0", []float64{1, 1, 1, 1, 2.5, 1}, "with spaces"},
		{"1.0,1.0,1.0,1.0,1.05,1.0", []float64{1, 1, 1, 1, 1.05, 1}, "without spaces, and a number that begins the same"},
		{"0,0,0,0,0.5", []float64{0, 0, 0, 0, 0.5}, "the shortest numbers"},
		{"-0.0, 0.0, -0.0, -0.0", []float64{math.Copysign(0, -1), 0, math.Copysign(0, -1), math.Copysign(0, -1)}, "the sign counts"},
		{"11,11,111,1,1", []float64{11, 11, 111, 1, 1}, "a longer number ends the same"},
		{"1.0, 1.0,1.0,  1.0 , 1.0\n,1.0", []float64{1, 1, 1, 1, 1, 1}, "varying space"},
		{"-0.25000, -0.25000, -0.25000", []float64{-0.25, -0.25, -0.25}, "too long for a machine word"},
	} {
		n := len(test.want)
		body := fmt.Appendf(nil, `{"scores":[%s],"tokens":[[1]%s],"masks":[[1]%s]}`, test.array, strings.Repeat(",[1]", n-1), strings.Repeat(",[1]", n-1))
		g, err := DecodeGroup(body)
		if err != nil || !slices.EqualFunc(g.Scores, test.want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%s: %v, %v; want %v", test.why, g, err, test.want)
		}
	}
	if g, err := DecodeGroup([]byte(`{"scores":[1.0, 1.0, 1.0, ],"tokens":[[1],[1],[1]],"masks":[[1],[1],[1]]}`)); err == nil {
		t.Errorf("a comma at the end is accepted: %v", g.Scores)
	}
}

func TestRoundTrip(t *testing.T) {
	data := sample(4, 300)
	g, err := DecodeGroup(data)
	if err != nil {
		t.Fatal(err)
	}
	var slow map[string]any
	if err := json.Unmarshal(data, &slow); err != nil {
		t.Fatal(err)
	}
	var again map[string]any
	if err := json.Unmarshal(AppendGroup(nil, g), &again); err != nil {
		t.Fatal(err)
	}
	for key, want := range slow {
		if !reflect.DeepEqual(again[key], want) {
			t.Errorf("%s came back changed", key)
		}
	}
	for _, part := range [][]byte{g.Messages} {
		if !bytes.Contains(data, part) {
			t.Error("a free-form field came back changed")
		}
	}
}

func FuzzDecodeGroup(f *testing.F) {
	f.Add([]byte(with("")))
	f.Add([]byte(with(`"messages":[[{"role":"a","content":"\ud83d\ude00"}]],"images":[1e5,-0.0,"x"],"env_id":"3"`)))
	f.Add([]byte(with(`"advantages":[[1],[2,3]],"distill_token_ids":[[[1]],[[2]]],"overrides":[{"a":1},{}],"id":"q"`)))
	f.Add(sample(2, 20))
	var r Reader
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := DecodeGroup(data)
		same, err2 := r.Group(data)
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("error %v, but %v from a reader that was used before", err, err2)
		}
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || !json.Valid(fault.AppendBody(nil)) || fault.Error() == "" {
				t.Fatalf("error %v", err)
			}
			return
		}
		if !json.Valid(bytes.TrimPrefix(data, []byte("\ufeff"))) {
			t.Fatal("text that is not JSON was accepted")
		}
		text := AppendGroup(nil, g)
		if other := AppendGroup(nil, same); !bytes.Equal(other, text) {
			t.Fatalf("a reader that was used before reads\n%s, want\n%s", other, text)
		}
		if !json.Valid(text) || bytes.ContainsAny(text, "\n\r") {
			t.Fatalf("wrote %q", text)
		}
		again, err := DecodeGroup(text)
		if err != nil {
			t.Fatalf("wrote %s: %v", text, err)
		}
		if second := AppendGroup(nil, again); !bytes.Equal(second, text) {
			t.Fatalf("wrote\n%s\nthen\n%s", text, second)
		}
		DropUnfit(g)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
