package mathverify_test

import (
	"context"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify"
)

// pairs lists answers that equal the reference, and answers that do not.
var pairs = []struct {
	why         string
	gold        string
	same, other []string
}{
	{"whole numbers are compared digit by digit", "1729", []string{"1,729", `1{,}729`, `1\,729`, "+1729", "01729", "1729.0", "1.729e3"}, []string{"1728", "17290", "1.729", "-1729", "1729.5", "172 9", "1 7 2 9"}},
	{"numbers of any size are exact", `2^{200}`, []string{"1606938044258990275541962092341162602522202993782792835301376", `4^{100}`, `\left(2^{100}\right)^2`, `(2^{50})^4`}, []string{"1606938044258990275541962092341162602522202993782792835301377", `1.606938\times 10^{61}`, `2^{201}`, `2^{-200}`}},
	{"powers too large to write out keep their primes", `6^{500000}`, []string{`2^{500000}\cdot 3^{500000}`, `36^{250000}`, `\frac{12^{500000}}{2^{500000}}`}, []string{`6^{500001}`, `2^{500000}`, `6^{500000}+1`, `\infty`}},
	{"towers are equal only as they stand", `7^{7^{7^7}}`, []string{`7^{7^{7^{7}}}`}, []string{`7^{7^7}`, `(7^7)^{7^7}`, `7^{7^{7^8}}`}},
	{"fractions need not be reduced", `\frac{6}{35}`, []string{"6/35", `\frac{12}{70}`, `\frac{2}{5}\cdot\frac{3}{7}`, `\dfrac6{35}`, `-\frac{-6}{35}`, `{6\over 35}`, `\frac{1}{5}-\frac{1}{35}`}, []string{"35/6", "6.35", `-\frac{6}{35}`, `\frac{6}{36}`, "0.1714", `6\frac{1}{35}`}},
	{"a decimal needs seven digits to stand for an exact value", `\frac{5}{11}`, []string{"0.4545455", "0.454545454545", `0.\overline{45}`, `0.\dot{4}\dot{5}`, `4.5454545455\times10^{-1}`}, []string{"0.45", "0.454545", "0.4545454545546", `0.4\overline{5}`, "5.11"}},
	{"a short decimal is exact", "0.125", []string{"1/8", "12.5%", ".125", "0.1250", `\frac{125}{1000}`}, []string{"0.12", "0.13", "0.1251", "12.5", "1.25"}},
	{"a decimal of π is π from seven digits on", `\pi`, []string{"3.141593", "3.14159265359", `\frac{2\pi}{2}`, `4\arctan 1`, "pi", "π"}, []string{"3.14", "3.1416", "3.141592", `\frac{22}{7}`, `\frac{355}{113}`, `\pi^2`, "180"}},
	{"binary floating point writes 0.7 as its neighbour", "0.7", []string{"0.7000000000000001", "0.6999999999999999"}, []string{"0.70000001", "0.700000000000001", "0.6999999"}},
	{"mixed numbers have a proper fraction", `3\frac{5}{8}`, []string{"3 5/8", "29/8", "3.625", `3+\frac58`, `3\tfrac{5}{8}`}, []string{`\frac{15}{8}`, `3\frac{8}{5}`, `-3\frac{5}{8}`, `3\cdot\frac{5}{8}`, "35/8"}},
	{"a group of three digits is a group only with a comma that fits", "12345", []string{"12,345", `12\!,345`, "12 345"}, []string{"123,45", "1,2345", "12.345", "12, 345", "(12,345)"}},
	{"a base belongs to the number", "2101_3", []string{"2101_{3}", `2101_{\text{3}}`, "02101_3"}, []string{"2101", "2101_4", "64", "2110_3"}},
	{"a percentage is a hundredth", `45\%`, []string{"45%", "0.45", `\frac{9}{20}`, "45 percent", `45\text{ percent}`, "45.0 %"}, []string{"4.5%", "0.045", "45", "54%"}},
	{"a number is not a percentage", "45", []string{"45.0", `\frac{90}{2}`}, []string{"45%", `45\%`, "0.45"}},
	{"units do not count", "12", []string{`12\text{ cm}`, "12 kg", "12 apples", `12\,\mathrm{m}`, "12 square units", `\$12`, "12 dollars", "€12", "12°", `12^\circ`, "12 degrees", `12\text{ cm}^2`}, []string{`21\text{ cm}`, `12^2\text{ cm}`, "1.2 kg", "120 apples", `12\text{ or more}`}},
	{"inside a function a degree is an angle", `\sin 45^\circ`, []string{`\frac{\sqrt2}{2}`, `\cos 45^\circ`, `\sin\frac{\pi}{4}`, `\frac{1}{\sqrt{2}}`}, []string{`\sin 45`, `\frac12`, `45`, `\tan 45^\circ`}},
	{"infinities have a sign", `-\infty`, []string{"-∞", "-inf", "-infinity"}, []string{`\infty`, "0", "-10^{9}", "NaN", `\pm\infty`}},
	{"roots are compared by value", `5\sqrt{3}`, []string{`\sqrt{75}`, `\frac{15}{\sqrt3}`, `\sqrt{25\cdot 3}`, "5*sqrt(3)", `5\cdot 3^{1/2}`, "5√3"}, []string{`3\sqrt5`, "8.66", `\sqrt{15}`, `5+\sqrt3`, `\sqrt[3]{5}`, `-5\sqrt3`}},
	{"nested roots", `\sqrt{9+4\sqrt5}`, []string{`2+\sqrt5`, `\frac{1}{\sqrt5-2}`, `\sqrt{4}+\sqrt{5}`}, []string{`2-\sqrt5`, `\sqrt5-2`, `\sqrt9+2\sqrt[4]{5}`, "4.236"}},
	{"odd roots of negative numbers are real", `\sqrt[3]{-27}`, []string{"-3", `-\sqrt[3]{27}`, `(-27)^{1/3}`}, []string{"3", "3i", `\sqrt{-27}`}},
	{"complex numbers", "4-3i", []string{"-3i+4", `4+(-3)i`, `\frac{25}{4+3i}`, `i(-3-4i)`, `5e^{-i\arctan\frac34}`}, []string{"4+3i", "-4+3i", "3-4i", "5", "(4,-3)", "4-3"}},
	{"i squared is -1", `(1+i)^8`, []string{"16", `2^4`, `(2i)^4`}, []string{"16i", "-16", `(1-i)^4`, "256"}},
	{"logarithms", `\log_2 12`, []string{`2+\log_2 3`, `\frac{\ln 12}{\ln 2}`, `\frac{\log 12}{\log 2}`, `\log_4 144`}, []string{`\log_{12} 2`, `\log_2 11`, "3.585", `\ln 6`, `\log_2 3`}},
	{"log is the logarithm of base ten", `\log 1000`, []string{"3", `\log_{10}1000`}, []string{`\ln 1000`, `\log_2 1000`, "30"}},
	{"factorials and binomials", `\binom{10}{4}`, []string{"210", `\frac{10!}{4!6!}`, `\binom{10}{6}`, "C(10,4)", `{10 \choose 4}`, `7\cdot 30`}, []string{`\frac{10}{4}`, "10!/4!", `\binom{10}{5}`, "5040", `\binom{4}{10}`}},
	{"a double factorial is not the factorial of a factorial", "7!!", []string{"105", `7\cdot5\cdot3`}, []string{"5040", "(7!)!", "7!"}},
	{"factorials of variables", "(n+2)!", []string{"(n+2)(n+1)n!", `(n+2)\cdot(n+1)!`}, []string{"n!+2", "(n+1)!", "(n+2)n!"}},
	{"sums have their values", `\sum_{k=1}^{10} k^2`, []string{"385", `\frac{10\cdot11\cdot21}{6}`, `\sum_{j=1}^{10} j^2`}, []string{"55", `\sum_{k=1}^{9} k^2`, "386", `\sum_{k=1}^{10} k`}},
	{"long sums of polynomials use formulas", `\sum_{k=1}^{10^9} k^3`, []string{`\left(\frac{10^9(10^9+1)}{2}\right)^2`, "250000000500000000250000000000000000"}, []string{"250000000500000000250000000000000001", `\frac{10^9(10^9+1)}{2}`}},
	{"sums up to a variable", `\sum_{k=1}^{n} (2k-1)`, []string{"n^2", `n\cdot n`}, []string{"n^2+1", "2n-1", `n(n+1)`}},
	{"endless sums", `\sum_{n=0}^{\infty} \frac{1}{3^n}`, []string{"3/2", "1.5"}, []string{"1", "2", `\infty`, "3"}},
	{"products", `\prod_{k=1}^{6} k`, []string{"720", "6!"}, []string{"21", "120"}},
	{"integrals of polynomials", `\int_0^2 (3x^2+1)\,dx`, []string{"10", `2^3+2`}, []string{"8", "13", `x^3+x`}},
	{"an unsolved integral equals itself", `\int \frac{\sin x}{x}\,dx`, []string{`\int\frac{\sin(x)}{x}dx`}, []string{`\int\frac{\cos x}{x}\,dx`, "0", `\frac{\sin x}{x}`}},
	{"derivatives", `\frac{d}{dx} x^3`, []string{"3x^2", `3x\cdot x`}, []string{"x^3", "3x", "x^2"}},
	{"polynomials", "x^2-5x+6", []string{"(x-2)(x-3)", "(3-x)(2-x)", "6-5x+x^2", "x(x-5)+6", `x^{2}-5\cdot x+6`, "x**2 - 5*x + 6"}, []string{"(x-1)(x-6)", "(x+2)(x+3)", "x^2+5x+6", "(x-2)(x-3)^2", "y^2-5y+6", "x^2-5x"}},
	{"rational functions", `\frac{1}{x-1}-\frac{1}{x+1}`, []string{`\frac{2}{x^2-1}`, `\frac{2}{(x-1)(x+1)}`, `\frac{-2}{1-x^2}`}, []string{`\frac{2}{x^2+1}`, `\frac{2x}{x^2-1}`, `\frac{2}{x-1}`, "2"}},
	{"expressions that agree wherever both are defined are equal", "x+1", []string{`\frac{x^2-1}{x-1}`, `\frac{x^2+x}{x}`}, []string{"|x+1|", `\sqrt{(x+1)^2}`, `\frac{x^2-1}{x+1}`}},
	{"the square root of a square is the absolute value", `\sqrt{x^2}`, []string{"|x|", "|-x|", `\left|x\right|`}, []string{"x", "-x", "x^2"}},
	{"variables are positive under a root and in a logarithm", `x\sqrt{x}`, []string{`x^{3/2}`, `\sqrt{x^3}`, `(\sqrt x)^3`}, []string{`\sqrt{x^2}`, `x^{2/3}`, `\sqrt[3]{x}`}},
	{"a power of a sum is not a sum of powers", "(a+b)^{40}", []string{"(b+a)^{40}", "((a+b)^{20})^2", "(a+b)^{39}(a+b)", "(a^2+2ab+b^2)^{20}"}, []string{"a^{40}+b^{40}", "(a+b)^{40}+1", "(a-b)^{40}", "(a+b)^{41}"}},
	{"names of variables matter", "x_1+y", []string{"x_{1}+y", "y+x_1"}, []string{"x_2+y", "x+y", "x1+y", "X_1+y"}},
	{"trigonometric identities", `\sin^2 x`, []string{`1-\cos^2 x`, `\frac{1-\cos 2x}{2}`, `(\sin x)^2`, "sin(x)^2"}, []string{`\sin x^2`, `\cos^2 x`, `\sin 2x`, `1-\cos x`, `\sin^3 x`}},
	{"inverse functions", `\arcsin x`, []string{`\sin^{-1} x`, `\frac{\pi}{2}-\arccos x`, "asin(x)"}, []string{`\frac{1}{\sin x}`, `\arccos x`, `\csc x`}},
	{"hyperbolic functions", `\cosh x`, []string{`\frac{e^x+e^{-x}}{2}`, `\sqrt{1+\sinh^2 x}`}, []string{`\frac{e^x-e^{-x}}{2}`, `\sinh x`, `\cos x`}},
	{"exponentials", `e^{2\ln x}`, []string{"x^2", `(e^{\ln x})^2`, `\exp(2\ln x)`}, []string{"2x", `e^2 x`, `x^{\ln 2}`}},
	{"floors are not ceilings", `\lfloor x \rfloor`, []string{`\lfloor x\rfloor`, "floor(x)"}, []string{`\lceil x\rceil-1`, "x", `\lceil x\rceil`, `x-\frac12`}},
	{"absolute values", "|2x-6|", []string{`2|x-3|`, "|6-2x|", `\sqrt{(2x-6)^2}`}, []string{"2x-6", "|2x|-6", "2|x|-6"}},
	{"near misses that floating point does not see", "1", []string{`\sin^2 7+\cos^2 7`, `0.\overline{9}`, `\frac{3^{40}}{9^{20}}`}, []string{"1-10^{-30}", `1+2^{-100}`, "0.9999999", "1.0000001", `\sin^2 7+\cos^2 7+10^{-40}`, `\frac{10^{30}}{10^{30}+1}`}},
	{"famous near misses", `e^{\pi\sqrt{67}}`, []string{`\exp(\pi\sqrt{67})`}, []string{"147197952744", `5280^3+744`}},
	{"sums of roots that nearly agree", `\sqrt{10}+\sqrt{11}`, []string{`\sqrt{21+2\sqrt{110}}`, `\sqrt{11}+\sqrt{10}`}, []string{`\sqrt{5}+\sqrt{18}`, `\sqrt{21}`, `\frac{1}{\sqrt{11}+\sqrt{10}}`}},
	{"a name before the value does not count", "x=14", []string{"14", "x = 14", "14=x", `x=\frac{28}{2}=14`, "x = 10+4 = 14"}, []string{"x=-14", `x\neq 14`, "x>14", "x=14,15", "x", "x=x", "x+1=15", "y=14"}},
	{"a function before the value does not count", "f(x)=3x+1", []string{"3x+1", "f(x)=1+3x"}, []string{"f(x)=3x", "3x-1", "f(x)"}},
	{"equations are equal up to a factor", "2x+3y=6", []string{"3y=6-2x", "4x+6y=12", `\frac{x}{3}+\frac{y}{2}=1`, "6-2x-3y=0", `y=2-\frac{2}{3}x`}, []string{"2x+3y=5", "2x-3y=6", "3x+2y=6", "6", "2x+3y", "2x+3y>6"}},
	{"curves", `\frac{x^2}{9}-\frac{y^2}{4}=1`, []string{"4x^2-9y^2=36", "9y^2=4x^2-36"}, []string{"4x^2+9y^2=36", "9x^2-4y^2=36", "4x^2-9y^2=1"}},
	{"inequalities may be turned round", "x<-3", []string{"-3>x", "-x>3", "2x<-6", `(-\infty,-3)`, `x\in(-\infty,-3)`}, []string{"x>-3", `x\le -3`, "x<3", `(-\infty,-3]`, "-3", "x=-3"}},
	{"chains of inequalities", `1<x\le 5`, []string{"(1,5]", `5\ge x>1`, `x\in(1,5]`}, []string{"[1,5]", "1<x<5", `x\le 5`, "(1,5)", "5"}},
	{"inequalities in two variables", "y>2x-1", []string{"2x-y<1", "2x-1<y", "y-2x>-1"}, []string{"y<2x-1", `y\ge 2x-1`, "y=2x-1", "y>2x+1"}},
	{"or is not and", `x<0 \text{ or } x>4`, []string{`x>4 \text{ or } x<0`, `(-\infty,0)\cup(4,\infty)`}, []string{`x<0 \text{ and } x>4`, "0<x<4", "x<0", `x\le 0\text{ or }x\ge 4`}},
	{"unions of intervals", `(-\infty,1)\cup(1,\infty)`, []string{`(1,\infty)\cup(-\infty,1)`, `\mathbb{R}\setminus\{1\}`}, []string{`\mathbb{R}`, `(-\infty,\infty)`, `(-\infty,1]\cup(1,\infty)`, `[1,\infty)`}},
	{"an open interval is not closed", "[0,1)", []string{`[0,1)`, `x\in[0,1)`, `\left[0,\frac{2}{2}\right)`, `[0,1]\setminus\{1\}`}, []string{"[0,1]", "(0,1)", "(0,1]", `\{0,1\}`, "[1,0)"}},
	{"the empty set", `\emptyset`, []string{`\varnothing`, `\{\}`, "∅", `\{1\}\cap\{2\}`}, []string{"0", `\{0\}`, `\{\emptyset\}`, "()"}},
	{"sets have no order", `\{1,4,9\}`, []string{`\{9,1,4\}`, "1, 4, 9", `\{1,1,4,9\}`, `x\in\{4,1,9\}`, `\{1^2,2^2,3^2\}`}, []string{"(1,4,9)", `\{1,4\}`, `\{1,4,8\}`, "149", `\{1,4,9,16\}`, "[1,9]"}},
	{"lists have no order", "2, -5", []string{"-5, 2", "2 and -5", "x=2 or x=-5", `\{-5,2\}`, "2;-5", "x=2,-5"}, []string{"2", "-5", "2,5", "-3", "2-5", "2,-5,0", "(2)"}},
	{"tuples have an order", "(3,-1,2)", []string{"(3, -1, 2)", `\left(3,-1,\frac42\right)`, "x=3, y=-1, z=2", "(x,y,z)=(3,-1,2)"}, []string{"(-1,3,2)", "3,-1,2", `\{3,-1,2\}`, "(3,-1)", "[3,-1,2]", "x=-1,y=3,z=2"}},
	{"lists of points", "(1,2),(3,4)", []string{"(3,4),(1,2)", `(1,2) \text{ and } (3,4)`, `\{(1,2),(3,4)\}`}, []string{"(1,2)", "(2,1),(4,3)", "(1,2,3,4)", "(1,4),(3,2)"}},
	{"plus or minus is both", `2\pm\sqrt3`, []string{`2+\sqrt3,2-\sqrt3`, `\{2-\sqrt3,2+\sqrt3\}`, `x=2\pm\sqrt{3}`, `\frac{4\pm 2\sqrt3}{2}`, `2\mp\sqrt3`}, []string{`2+\sqrt3`, `-2\pm\sqrt3`, `2\pm 3`, `\pm 2+\sqrt3`, `\frac{2\pm\sqrt3}{2}`}},
	{"matrices", `\begin{pmatrix}1&2\\3&4\end{pmatrix}`, []string{`\begin{bmatrix}1&2\\3&4\end{bmatrix}`, `\left[\begin{array}{cc}1&2\\3&4\end{array}\right]`, `\frac12\begin{pmatrix}2&4\\6&8\end{pmatrix}`, `\begin{pmatrix}1&0\\0&1\end{pmatrix}\begin{pmatrix}1&2\\3&4\end{pmatrix}`}, []string{`\begin{pmatrix}1&3\\2&4\end{pmatrix}`, `\begin{vmatrix}1&2\\3&4\end{vmatrix}`, "-2", `\begin{pmatrix}1&2&3&4\end{pmatrix}`, "(1,2,3,4)"}},
	{"determinants are numbers", `\begin{vmatrix}1&2\\3&4\end{vmatrix}`, []string{"-2", `4-6`}, []string{"2", "10", `\begin{pmatrix}1&2\\3&4\end{pmatrix}`}},
	{"a column is not a row", `\begin{pmatrix}1\\2\end{pmatrix}`, []string{`\begin{bmatrix}1\\2\end{bmatrix}`}, []string{`\begin{pmatrix}1&2\end{pmatrix}`, "3", `\begin{pmatrix}2\\1\end{pmatrix}`}},
	{"ratios have an order", "2:3", []string{"2 : 3", `2\colon 3`, "4:6", "2/3"}, []string{"3:2", "2:4", "23", "2:3:1", "3/2", "2/5"}},
	{"words ignore case", `\text{Saturday}`, []string{"saturday", `\boxed{\text{Saturday}}`, "The answer is Saturday."}, []string{"Sunday", "S", "Satur", "not Saturday"}},
	{"words before a number may change it", "58", []string{"There are 58.", "58 ways"}, []string{"at least 58", "more than 58", "It is not 58", `\text{at most } 58`}},
	{"a bare exponent is one letter", "e^{x+y}", []string{"e^xe^y", `e^x\cdot e^y`}, []string{"e^{xe^y}", "e^{xy}", "xe^y"}},
	{"a short sentence states a word", "Friday", []string{"The day is Friday.", `\text{Friday}`}, []string{"The day is not Friday.", "The day is Sunday."}},
	{"short words are not products", "no", []string{"No", `\text{no}`}, []string{"on", "o n", "yes"}},
	{"a point in a sentence", "(3,4)", []string{"The center is at (3, 4).", "(3, 4)"}, []string{"The center is at (4, 3).", "The radius is 4."}},
	{"letters in another order are another word", "listen", []string{"Listen"}, []string{"silent", "enlist", "liste"}},
	{"choices", "D", []string{"(D)", `\text{(D)}`, `\boxed{\textbf{D}}`, "The answer is D.", "Answer: (D)", "I think it is D"}, []string{"C", "(A)", "CD", "D and E", "4", "The answer is one of A, B, C, D."}},
	{"look-alike characters are equal", "-3/4", []string{"−¾", "－3/4", "−3⁄4", `-\frac34`, "-0.75"}, []string{"¾", "−¼", "3/4", "−4/3"}},
	{"digits of other scripts", "507", []string{"５０７", "٥٠٧", "𝟓𝟎𝟕", "५०७"}, []string{"５0８", "5O7", "50⁷", "7٠٥"}},
	{"superscripts and subscripts", "x^3+y_2", []string{"x³+y₂", "y₂+x³"}, []string{"x₃+y₂", "x3+y2", "x²+y₂"}},
	{"a text that reverses its digits is not a number", "38", []string{"38\u200b", "\ufeff38"}, []string{"\u202e83", "\u202e38"}},
	{"an empty text is not an answer", "5", []string{"5."}, []string{"", " ", `\boxed{}`, "?", "()", "{}", "$$", `\text{}`, "x", "the correct answer", "-"}},
	{"program text is not run", "9", []string{"9"}, []string{`eval("3*3")`, "lambda: 9", `__import__("os")`, `\def\x{9}\x`, "<script>9</script>0"}},
	{"an undefined value is not a number", "0", []string{"0", "0.0", "-0", `\sin 0`}, []string{"0/0", `\frac{0}{0}`, "NaN", "none", "False", `\emptyset`, `10^{-300}`, `\left(\frac12\right)^{10^{9}}`}},
}

func TestPairs(t *testing.T) {
	for _, p := range pairs {
		for _, answer := range p.same {
			if v := mathverify.Verify(context.Background(), p.gold, answer); !v.Equal {
				t.Errorf("%s: %q is %q, but the verdict is %+v", p.why, answer, p.gold, v)
			}
		}
		for _, answer := range p.other {
			if v := mathverify.Verify(context.Background(), p.gold, answer); v.Equal {
				t.Errorf("%s: %q is not %q, but the verdict is %+v", p.why, answer, p.gold, v)
			}
		}
	}
}

// Every answer of the table equals itself in five forms; answers of different rows
// differ, unless some row has both.
func TestRenderings(t *testing.T) {
	forms := []string{"%", `\boxed{%}`, "$%$", `The final answer is $%$. I hope it is correct.`, "<think>Is it 77?</think>\nSo we get\n\\[\\boxed{%}\\]"}
	for i, p := range pairs {
		for _, form := range forms {
			text := strings.Replace(form, "%", p.gold, 1)
			if v := mathverify.Verify(context.Background(), p.gold, text); !v.Equal {
				t.Errorf("%q is not %q: %+v", text, p.gold, v)
			}
		}
		for _, q := range pairs[i+1:] {
			if v := mathverify.Verify(context.Background(), p.gold, q.gold); v.Equal {
				t.Errorf("%q is %q: %+v", q.gold, p.gold, v)
			}
		}
	}
}

func TestExtract(t *testing.T) {
	for _, test := range []struct {
		why, text, want string
		rule            mathverify.Rule
	}{
		{"the last box wins", `\boxed{1}. No, \boxed{2}`, "2", mathverify.RuleBox},
		{"boxes may hold braces", `so \boxed{\frac{1}{2}}`, `\frac{1}{2}`, mathverify.RuleBox},
		{"a box in a box", `\boxed{\boxed{3}}`, "3", mathverify.RuleBox},
		{"boxes side by side are one answer", `$\boxed{2}$ and $\boxed{-5}$`, "2, -5", mathverify.RuleBox},
		{"boxes with prose between them are not", `\boxed{2}, but then \boxed{-5}`, "-5", mathverify.RuleBox},
		{"a truncated box", `so \boxed{42`, "42", mathverify.RuleBox},
		{"a final answer after the box", `\boxed{4}. Final answer: 5`, "5", mathverify.RuleStatement},
		{"tags", "<answer>7</answer>", "7", mathverify.RuleTag},
		{"the last tags win", "<answer>7</answer> No, wait: <answer>8</answer>", "8", mathverify.RuleTag},
		{"tags side by side are one answer", "<answer>7</answer> or <answer>8</answer>", "7, 8", mathverify.RuleTag},
		{"unclosed tags do not count", "<answer>7", "7", mathverify.RuleNumber},
		{"a sentence", "Hence the answer is 12, since 3 times 4 is 12.", "12", mathverify.RuleStatement},
		{"a denied answer", "The answer is not 5 but 6.", "6", mathverify.RuleStatement},
		{"a tentative answer", "Perhaps the answer is 5. No: it is 6", "6", mathverify.RuleNumber},
		{"GSM8K", "5+5=10\n#### 10", "10", mathverify.RuleStatement},
		{"another language", "La réponse est 17.", "17", mathverify.RuleStatement},
		{"the last formula", "Since $a=2$, we get $b = 7$.", "b = 7", mathverify.RuleFormula},
		{"formulas that belong together", "The roots are $2$ and $3$.", "2, 3", mathverify.RuleFormula},
		{"the last number", "There are 12 of them and 5 of us, so we need 17 seats", "17", mathverify.RuleNumber},
		{"thinking does not count", "<think>answer: 3</think>The answer is 4.", "4", mathverify.RuleStatement},
		{"an expression is the answer itself", `\frac{3}{4}`, `\frac{3}{4}`, mathverify.RuleBare},
		{"there may be none", strings.Repeat("we do not know ", 20), "", mathverify.RuleNone},
	} {
		if got, rule := mathverify.Extract(test.text, ""); got != test.want || rule != test.rule {
			t.Errorf("%s: Extract(%q) = %q by %s, want %q by %s", test.why, test.text, got, rule, test.want, test.rule)
		}
	}
}
