package policy_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// What ReadTokens reads is what encoding/json reads, after the tokens that the list had.
func TestReadTokensReadsLikeEncodingJSON(t *testing.T) {
	t.Parallel()
	for text, usual := range map[string]bool{
		"[]": true, "[0]": true, "[7,10,99]": true, "[1, 2 ,\n3]": true, "[-1,2]": true, "[2147483647]": true, "[-2147483648]": true,
		"[999999999,1]": true, "[1000000000,1]": true, " [1]": true, "[1] ": true,
		"": false, "null": false, "[": false, "]": false, "[]]": false, "[1": false, "1]": false, "[1,]": false, "[,1]": false, "[1,,2]": false, "[01]": false, "[00]": false,
		"[1]2]": false, "[1.0]": false, "[1e3]": false, "[2147483648]": false, "[99999999999999999999]": false, "[[1]]": false, `["1"]`: false, "[1;2]": false, "[1 2]": false, "[-]": false, "[null]": false,
	} {
		tokens, read := policy.ReadTokens([]quintain.Token{5}, []byte(text))
		var want []quintain.Token
		err := json.Unmarshal([]byte(text), &want)
		if read != usual && err == nil || read && (err != nil || !slices.Equal(tokens, append([]quintain.Token{5}, want...))) {
			t.Errorf("%q gives %v, %v, want %v, %v", text, tokens, read, want, err)
		}
	}
	all := policy.Encode(strings.Repeat("lorem ipsum dolor ", 100))
	text := policy.AppendTokens(nil, all)
	if back, read := policy.ReadTokens(nil, text); !read || !slices.Equal(back, all) || !json.Valid(text) {
		t.Errorf("%d tokens come back as %d, %v", len(all), len(back), read)
	}
	edges := []quintain.Token{0, 9, 10, 99, 100, 101, 999, 1000, 1009, 10_000, 999_999, 1_000_000, 1_002_003, math.MaxInt32, -1, math.MinInt32}
	if want, err := json.Marshal(edges); err != nil || string(policy.AppendTokens(nil, edges)) != string(want) {
		t.Errorf("tokens are %s, want %s, %v", policy.AppendTokens(nil, edges), want, err)
	}
	if text := string(policy.AppendTokens([]byte("x"), nil)); text != "x[]" {
		t.Errorf("no tokens are %s", text)
	}
}
