package mathverify_test

import (
	"context"
	"strings"
	"testing"
	"unicode"

	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// hostile returns texts that try to take long, to nest deeply, or to break the reader.
func hostile() []string {
	repeat := strings.Repeat
	return []string{
		repeat("(", 100_000), repeat("{", 100_000), repeat("[", 50_000) + repeat("]", 50_000), repeat(`\frac{`, 20_000), repeat(`\sqrt`, 20_000),
		repeat(`\boxed{`, 20_000), repeat("$", 100_000), repeat(`\`, 100_000), repeat("-", 100_000) + "1", repeat("1+", 60_000) + "1", repeat("1,", 60_000) + "1",
		repeat("x", 100_000), repeat("x ", 50_000), repeat("x^", 50_000) + "x", repeat("9^", 1000) + "9", repeat("!", 1000), "9" + repeat("!", 1000), repeat("|", 10_000), repeat("|x", 5000) + repeat("|", 5000),
		repeat("9", 100_000), "0." + repeat("3", 100_000), repeat("<think>", 20_000), repeat("answer is ", 20_000), repeat(`\begin{pmatrix}`, 10_000), repeat(`\int `, 20_000) + "dx",
		repeat(`\text{`, 20_000), repeat("=", 100_000), "1" + repeat("=1", 50_000), repeat(`\left|`, 10_000), repeat("sin ", 20_000) + "x", repeat("sin(", 20_000), `\sum_{k=1}^{10^9} \sum_{j=1}^{k} \frac{1}{j^k}`,
		`\sum_{a=1}^{900}\sum_{b=1}^{900}\sum_{c=1}^{900} \sin(abc)`, `\prod_{k=1}^{1000} (x+k)`, "(a+b+c+d+e)^{60}", "((a+b)^{60}+c)^{60}", `\binom{10^9}{5\cdot10^8}`, "(((9!)!)!)!", "10^{10^{10^{10}}}", "2^{2^{2^{2^{2^{2}}}}}",
		"1e" + repeat("9", 30), `\sqrt[1000000007]{2}`, `(x+1)^{1000000}`, `x^{x^{x^{x^{x^{x}}}}}`, `e^{e^{e^{e^{e^{e}}}}}`, `\sin(10^{1000})`, `\tan(\tan(\tan(\tan(\tan(x)))))`, repeat(`\pm 1`, 1000), repeat("x_{", 10_000), repeat("½", 30_000), repeat("²", 30_000),
		`\{` + repeat(`\{1\},`, 10_000) + `1\}`, repeat(`(1,2)\cup`, 5000) + "(1,2)", repeat("x<1<", 10_000) + "2", repeat(`\frac12`, 20_000), repeat("a:", 20_000) + "b", repeat(`1\text{ cm}`, 10_000),
		repeat(`1\frac{8}{`, 200) + "2" + repeat("}", 200), repeat(`\pmatrix{`, 300) + "1" + repeat("}", 300), repeat("[", 300) + "1" + repeat("]", 300), repeat("[[1],[2]],", 5000), repeat(`1+\cdots+`, 5000) + "9",
		repeat("(1 2)^T", 5000), repeat(`\underbrace{1}_{`, 300) + "1" + repeat("}", 300), "0." + repeat("12", 30_000) + "...", repeat(`\\frac{1}`, 10_000), repeat(`\lim_{x\to0}`, 200) + "x", `\lim_{x\to0}\frac{` + repeat(`\sin(`, 60) + "x" + repeat(")", 60) + `}{x}`,
		repeat("**a**", 20_000), repeat("\x1b[1m", 20_000), repeat("(B) ", 20_000), repeat(`\text{as required},`, 5000), `\prod_{k=1}^{\infty} k`, `\sum_{k=1}^{\infty}\frac{1}{` + repeat("(k+1)", 30) + "}",
		repeat("<answer>1</answer>,", 20_000), repeat("<answer></answer>", 20_000), repeat(`\boxed{1},`, 10_000),
		repeat("x (", 30_000), repeat("1 (", 30_000), repeat("x (x + x\n", 10_000), "are " + repeat("1, ", 30_000), repeat("1 and ", 20_000) + "1", repeat("- x = 1\n", 10_000), ":\n" + repeat("- 1\n", 20_000), repeat("$x$ for all ", 8000), repeat("$1$1", 20_000), repeat(`\frac{`, 300) + " 1",
		repeat("&pi;", 20_000), repeat("<sup>2</sup>", 8000), repeat(`\implies `, 200) + "y", repeat("⇒", 600), repeat("P(x|", 10_000), repeat("1 cm ", 15_000), "1 " + repeat("m/", 30), repeat("is ", 30_000) + "1", repeat("a is in ", 40), repeat("the limit ", 6) + "does not exist", repeat(`\begin{cases}`, 5000),
		`\begin{aligned}` + repeat(`x&=1\\`, 5000) + `\end{aligned}`, repeat("1, since ", 10_000), repeat("\nCheck: ", 10_000), repeat("sin x ", 15_000), repeat("5!! ", 10_000), repeat("* 1 ", 20_000),
		`\boxed{1} ` + repeat("not 5 ", 4000), `\boxed{1} ` + repeat("minus 5, ", 4000), `\boxed{1}` + repeat(" wait, no", 4000), `\boxed{1}` + repeat(" that is wrong", 4000), `\boxed{1}` + repeat(" 5 is wrong.", 4000), `\boxed{1} ` + repeat("actually ", 4000), repeat("the answer is not 5, but ", 4000), repeat("不是5", 4000), repeat("maybe ", 4000) + "5",
	}
}

// No hostile text takes more than its share of steps: each may do a quarter of a
// millisecond of work, so the test would pass its time limit if one were quadratic.
func TestHostileTexts(t *testing.T) {
	for _, text := range hostile() {
		for _, pair := range [][2]string{{"7", text}, {text, "7"}, {text, text + " "}, {"x", `\boxed{` + text + `}`}} {
			v := mathverify.Verify(context.Background(), pair[0], pair[1])
			if v.Equal && pair[0] != text {
				t.Errorf("%.40q is %.40q: %+v", pair[1], pair[0], v.Reason)
			}
		}
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	v := mathverify.Verify(ctx, `\sum_{a=1}^{900}\sum_{b=1}^{900} \sin(ab)`, "7")
	if v.Equal || v.Reason != mathverify.Limit {
		t.Errorf("the verdict is %+v, want the reason %s", v, mathverify.Limit)
	}
}

func FuzzVerify(f *testing.F) {
	for _, p := range pairs {
		f.Add(p.gold, p.same[0])
		f.Add(p.gold, p.other[len(p.other)-1])
	}
	for _, form := range allForms(f) {
		f.Add(form.gold, form.answer)
	}
	for _, text := range hostile() {
		f.Add("7", text[:min(len(text), 300)])
	}
	f.Fuzz(func(t *testing.T, gold, answer string) {
		v := mathverify.Verify(context.Background(), gold, answer)
		if v.Equal && strings.TrimSpace(v.Extracted) == "" {
			t.Errorf("nothing is %q: %+v", gold, v)
		}
		boxed := `\boxed{` + gold + `}`
		if v := mathverify.Verify(context.Background(), boxed, boxed); !v.Equal && simple(gold) {
			t.Errorf("%q is not itself: %+v", gold, v)
		}
	})
}

// simple reports whether a text is a plain number or word.
func simple(text string) bool {
	return text != "" && len(text) < 100 && !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func FuzzParse(f *testing.F) {
	for _, p := range pairs {
		f.Add(p.gold)
		for _, s := range p.same {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := expr.Fold(text)
		n, err := expr.Parse(folded)
		if err != nil {
			return
		}
		again, err := expr.Parse(folded)
		if err != nil || again.String() != n.String() {
			t.Errorf("%q is read as %s and as %v, %v", text, n, again, err)
		}
		d, err := expr.Diff(n, "x")
		if err != nil {
			return
		}
		_ = d.String()
	})
}

func BenchmarkVerify(b *testing.B) {
	for _, bench := range []struct{ name, gold, answer string }{
		{"integer", "42", `So the answer is $\boxed{42}$.`},
		{"fraction", `\frac{3}{4}`, `\boxed{0.75}`},
		{"polynomial", "(x-2)(x-3)", `\boxed{x^2-5x+6}`},
		{"trigonometry", `\sin 2x`, `\boxed{2\sin x\cos x}`},
		{"roots", `\sqrt{9+4\sqrt5}`, `\boxed{2+\sqrt5}`},
		{"union", `(-\infty,1)\cup(1,\infty)`, `\boxed{\mathbb{R}\setminus\{1\}}`},
		{"hostile", "7", strings.Repeat("1+", 30_000) + "1"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				mathverify.Verify(context.Background(), bench.gold, bench.answer)
			}
		})
	}
}
