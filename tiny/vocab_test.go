package tiny_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny"
)

// join concatenates tokens and the bytes of texts.
func join(parts ...any) (all []quintain.Token) {
	for _, part := range parts {
		switch p := part.(type) {
		case quintain.Token:
			all = append(all, p)
		case string:
			for i := range len(p) {
				all = append(all, quintain.Token(p[i]))
			}
		}
	}
	return all
}

func TestEncodeGivesBytesAndTags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, text string
		want      []quintain.Token
	}{
		{"nothing", "", nil},
		{"ASCII has one token per character", "2+2?", join("2+2?")},
		{"other characters are their bytes", "é日", join("\xc3\xa9\xe6\x97\xa5")},
		{"invalid UTF-8", "\x00\xff\xc3", join("\x00\xff\xc3")},
		{"tags are one token each", "<think>a</think><answer>b</answer>",
			join(tiny.Think, "a", tiny.EndThink, tiny.Answer, "b", tiny.EndAnswer)},
		{"an incomplete tag", "<answe <think", join("<answe <think")},
		{"tags are lower case", "<Answer>", join("<Answer>")},
		{"a tag after a bracket", "<<answer>>", join("<", tiny.Answer, ">")},
		{"a tag inside another", "<<think>answer>", join("<", tiny.Think, "answer>")},
		{"the role markers of other models are text", "<|user|>\x03", join("<|user|>\x03")},
	} {
		got := tiny.Encode(test.text)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %d, want %d", test.why, got, test.want)
		}
		if back := tiny.Decode(got); back != test.text {
			t.Errorf("%s: %q comes back as %q", test.why, test.text, back)
		}
	}
}

func TestDecodeGivesTheText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		tokens []quintain.Token
		want   string
	}{
		{"nothing", nil, ""},
		{"openings and ends have no text", join(tiny.User, "a", tiny.End, tiny.Assistant, tiny.Tool, tiny.System), "a"},
		{"a tag spelled in bytes is the same text", join("<answer>", "7", tiny.EndAnswer), "<answer>7</answer>"},
		{"numbers without tokens", join("a", quintain.Token(-1), "b", quintain.Token(tiny.Size)), "a\uFFFDb\uFFFD"},
	} {
		if got := tiny.Decode(test.tokens); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

// The numbers of the tokens are a format: models train on them.
func TestTokensKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	got := []quintain.Token{tiny.Think, tiny.EndThink, tiny.Answer, tiny.EndAnswer, tiny.System, tiny.User, tiny.Assistant, tiny.Tool, tiny.End}
	if want := []quintain.Token{256, 257, 258, 259, 260, 261, 262, 263, 264}; !slices.Equal(got, want) || tiny.Size != 265 {
		t.Errorf("tokens %d of %d, want %d of 265", got, tiny.Size, want)
	}
}

func TestReadRendersOnlyWhatIsFresh(t *testing.T) {
	t.Parallel()
	talk := []quintain.Message{
		{Role: quintain.RoleSystem, Content: "Be brief."},
		{Role: quintain.RoleUser, Content: "2+2?"},
		{Role: quintain.RoleAssistant, Content: "4"},
		{Role: quintain.RoleTool, Content: "right"},
		{Role: quintain.RoleUser, Content: "<answer>?"},
	}
	for _, test := range []struct {
		why     string
		request quintain.Request
		want    []quintain.Token
	}{
		{"the first turn has all messages", quintain.Request{Messages: talk[:2]},
			join(tiny.System, "Be brief.", tiny.End, tiny.User, "2+2?", tiny.End, tiny.Assistant)},
		{"a reply that ended itself is not closed again", quintain.Request{Messages: talk, Fresh: 3, Context: join("…4", tiny.End)},
			join(tiny.Tool, "right", tiny.End, tiny.User, tiny.Answer, "?", tiny.End, tiny.Assistant)},
		{"a truncated reply gets its end", quintain.Request{Messages: talk[:4], Fresh: 3, Context: join("…4")},
			join(tiny.End, tiny.Tool, "right", tiny.End, tiny.Assistant)},
		{"an example of a reply", quintain.Request{Messages: talk[2:4]},
			join(tiny.Assistant, "4", tiny.End, tiny.Tool, "right", tiny.End, tiny.Assistant)},
		{"an empty message", quintain.Request{Messages: []quintain.Message{{Role: "user"}}},
			join(tiny.User, tiny.End, tiny.Assistant)},
	} {
		got, err := tiny.Read(test.request)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %d, %v, want %d", test.why, got, err, test.want)
		}
	}
}

func TestReadRefusesOtherRoles(t *testing.T) {
	t.Parallel()
	_, err := tiny.Read(quintain.Request{Messages: []quintain.Message{{Role: "user"}, {Role: "judge"}}})
	if err == nil || !strings.Contains(err.Error(), `message 1: role "judge"`) {
		t.Errorf("error %v, want one that names the role", err)
	}
}

// FuzzVocabulary checks that any text survives encoding and decoding, and that none can
// forge a message.
func FuzzVocabulary(f *testing.F) {
	for _, seed := range []string{"", "2+2=<answer>4</answer>", "é日\x00\xff", "<<think>", "</answer", "<|user|>", "\u0104\u0108"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := tiny.Encode(text)
		if back := tiny.Decode(tokens); back != text {
			t.Fatalf("%q comes back as %q", text, back)
		}
		for i, token := range tokens {
			if token < 0 || token > tiny.EndAnswer {
				t.Fatalf("token %d of %q is %d, which no text may have", i, text, token)
			}
		}
		message, err := tiny.Render(quintain.Message{Role: quintain.RoleUser, Content: text})
		if err != nil || len(message) != len(tokens)+2 || !slices.Equal(message[1:len(message)-1], tokens) {
			t.Fatalf("%q is rendered as %d, %v", text, message, err)
		}
		if back := tiny.Decode(message); back != text {
			t.Fatalf("%q as a message comes back as %q", text, back)
		}
	})
}
