package exact_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

var model = flag.String("model", "", "folder of a model whose tokenizer.json and tokenizer_config.json BenchmarkTurns uses; empty: a tiny vocabulary")

// BenchmarkTurns plays a conversation of 200 turns, about 70,000 tokens of a model's
// vocabulary. For every fifty turns it reports the length of the last prompt and mean times
// in microseconds: of Render, of encoding and decoding only the new text of a turn and, for
// comparison, of encoding the whole prompt.
func BenchmarkTurns(b *testing.B) {
	c, end := benchChat(b)
	const window = 50
	var tokens [4]int
	var took [4]struct{ render, added, whole time.Duration }
	for b.Loop() {
		a := newTalk(b, c)
		var wrote []quintain.Token
		for turn := range window * len(took) {
			at := &took[turn/window]
			var read exact.Rendering
			at.render += spent(func() { read = a.ask(user(prose(3*turn, 7))) })
			if read.Drift != exact.Clean {
				b.Fatalf("turn %d: %s: %s", turn+1, read.Drift, read.Why)
			}
			added, whole := decode(c, read.Tokens), decode(c, a.prompt)
			at.added += spent(func() { encode(b, c, added); decode(c, wrote) })
			at.whole += spent(func() { encode(b, c, whole) })
			tokens[turn/window] = len(a.prompt)
			wrote = encode(b, c, prose(7*turn, 10)+end)
			a.reply(wrote)
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, t := range took {
		last := (i + 1) * window
		b.ReportMetric(float64(tokens[i]), fmt.Sprintf("%d-tokens", last))
		for name, d := range map[string]time.Duration{"render": t.render, "added": t.added, "whole": t.whole} {
			b.ReportMetric(float64(d.Microseconds())/float64(b.N*window), fmt.Sprintf("%d-µs-%s", last, name))
		}
	}
}

func spent(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// prose returns n sentences, each with a number of its own.
func prose(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Move %d is the knight to f%d, and so %d remain. ", from+i, (from+i)%8+1, 997*(from+i)%1000)
	}
	return strings.TrimSpace(b.String())
}

// benchChat returns the model's renderer and the token that ends its replies.
func benchChat(b *testing.B) (*exact.Chat, string) {
	if *model == "" {
		return chat(b, chatML), "<|im_end|>"
	}
	tok, err := tokenizer.Load(filepath.Join(*model, "tokenizer.json"), "")
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(*model, "tokenizer_config.json"))
	if err != nil {
		b.Fatal(err)
	}
	config, err := chattemplate.ParseConfig(text)
	if err != nil {
		b.Fatal(err)
	}
	template, err := config.Chat("")
	if err != nil {
		b.Fatal(err)
	}
	for _, end := range []string{"<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<｜end▁of▁sentence｜>", "</s>"} {
		if _, has := tok.ID(end); has {
			return &exact.Chat{Template: template, Tokenizer: tok, Model: *model}, end
		}
	}
	b.Fatalf("%s has none of the usual ends of a reply", *model)
	return nil, ""
}
