package expr

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// looks maps Unicode characters that only look different to LaTeX or ASCII.
var looks = map[rune]string{
	'−': "-", '–': "-", '‐': "-", '‑': "-", '‒': "-", '﹣': "-", '—': "-",
	'×': "*", '·': "*", '⋅': "*", '∙': "*", '•': "*", '✕': "*", '∗': "*", '÷': `\div `, '⁄': "/", '∕': "/",
	'√': `\sqrt `, '∛': `\sqrt[3] `, '∜': `\sqrt[4] `, '∞': `\infty `,
	'≤': `\le `, '≥': `\ge `, '⩽': `\le `, '⩾': `\ge `, '≠': `\ne `, '≈': `\approx `, '≃': `\approx `, '±': `\pm `, '∓': `\mp `,
	'≡': `\equiv `, '∪': `\cup `, '∩': `\cap `, '∖': `\setminus `, '∈': `\in `, '∉': `\notin `, '∅': `\emptyset `, 'Ø': `\emptyset `,
	'ℝ': `\mathbb{R}`, 'ℤ': `\mathbb{Z}`, 'ℚ': `\mathbb{Q}`, 'ℕ': `\mathbb{N}`, 'ℂ': `\mathbb{C}`,
	'°': `^\circ `, 'º': `^\circ `, '✓': "", '✔': "", '✅': "", '☑': "", '‰': `\permil `, '⊤': `\top `, '′': "'", '’': "'", '“': `"`, '”': `"`, '‖': "|", '∣': "|", '￥': "¥",
	'∀': `\forall `, '①': "1,", '②': "2,", '③': "3,", '④': "4,", '⑤': "5,", '⑥': "6,", '⑦': "7,", '⑧': "8,", '⑨': "9,",
	'∑': `\sum `, '∏': `\prod `, '∫': `\int `, '→': `\to `, '…': `\ldots `, '⋯': `\ldots `, '∠': `\angle `, '△': `\triangle `,
	'⌊': `\lfloor `, '⌋': `\rfloor `, '⌈': `\lceil `, '⌉': `\rceil `, '⟨': `\langle `, '⟩': `\rangle `,
	'½': `\frac{1}{2}`, '⅓': `\frac{1}{3}`, '⅔': `\frac{2}{3}`, '¼': `\frac{1}{4}`, '¾': `\frac{3}{4}`, '⅕': `\frac{1}{5}`,
	'⅖': `\frac{2}{5}`, '⅗': `\frac{3}{5}`, '⅘': `\frac{4}{5}`, '⅙': `\frac{1}{6}`, '⅚': `\frac{5}{6}`, '⅐': `\frac{1}{7}`,
	'⅛': `\frac{1}{8}`, '⅜': `\frac{3}{8}`, '⅝': `\frac{5}{8}`, '⅞': `\frac{7}{8}`, '⅑': `\frac{1}{9}`, '⅒': `\frac{1}{10}`,
	'，': ",", '、': ",", '。': ".", '：': ":", '；': ";", '（': "(", '）': ")", '【': "[", '】': "]",
	'α': `\alpha `, 'β': `\beta `, 'γ': `\gamma `, 'δ': `\delta `, 'ε': `\epsilon `, 'ϵ': `\epsilon `, 'ζ': `\zeta `, 'η': `\eta `,
	'θ': `\theta `, 'ϑ': `\theta `, 'ι': `\iota `, 'κ': `\kappa `, 'λ': `\lambda `, 'μ': `\mu `, 'µ': `\mu `, 'ν': `\nu `, 'ξ': `\xi `,
	'π': `\pi `, 'ρ': `\rho `, 'σ': `\sigma `, 'τ': `\tau `, 'φ': `\phi `, 'ϕ': `\phi `, 'χ': `\chi `, 'ψ': `\psi `, 'ω': `\omega `,
	'Δ': `\Delta `, '∆': `\Delta `, 'Γ': `\Gamma `, 'Θ': `\Theta `, 'Λ': `\Lambda `, 'Π': `\Pi `, 'Σ': `\Sigma `, 'Φ': `\Phi `, 'Ψ': `\Psi `, 'Ω': `\Omega `,
	'ℓ': "l", 'ℏ': `\hbar `, '𝑒': "e", '𝜋': `\pi `,
}

// raised and lowered hold the superscripts and subscripts.
var (
	raised = map[rune]byte{
		'⁰': '0', '¹': '1', '²': '2', '³': '3', '⁴': '4', '⁵': '5', '⁶': '6', '⁷': '7', '⁸': '8', '⁹': '9',
		'⁺': '+', '⁻': '-', '⁽': '(', '⁾': ')', 'ⁿ': 'n', 'ⁱ': 'i', 'ˣ': 'x',
	}
	lowered = map[rune]byte{
		'₀': '0', '₁': '1', '₂': '2', '₃': '3', '₄': '4', '₅': '5', '₆': '6', '₇': '7', '₈': '8', '₉': '9',
		'₊': '+', '₋': '-', 'ₙ': 'n', 'ₓ': 'x', 'ₐ': 'a', 'ₖ': 'k',
	}
)

// Fold rewrites characters that only look different from ASCII or LaTeX: "x²" becomes
// "x^{2}", "−" becomes "-", and the digits of all scripts become 0 to 9. It drops
// invisible characters. A character that reverses the text stays, and [Parse] rejects it.
func Fold(text string) string {
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	b.WriteString(text[:i])
	for rest := text[i:]; rest != ""; {
		if run, n := script(rest, raised); n > 0 {
			b.WriteString("^{" + run + "}")
			rest = rest[n:]
			continue
		}
		if run, n := script(rest, lowered); n > 0 {
			b.WriteString("_{" + run + "}")
			rest = rest[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(rest)
		b.WriteString(fold(r))
		rest = rest[n:]
	}
	return b.String()
}

// script reads the superscripts or subscripts at the start of text.
func script(text string, table map[rune]byte) (run string, length int) {
	if text[0] < utf8.RuneSelf {
		return "", 0
	}
	var b []byte
	for i, r := range text {
		c, ok := table[r]
		if !ok {
			return string(b), i
		}
		b = append(b, c)
	}
	return string(b), len(text)
}

// fold returns one character in ASCII or LaTeX.
func fold(r rune) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	if s, ok := looks[r]; ok {
		return s
	}
	switch {
	case r == '\u202e' || r == utf8.RuneError:
		return string(r)
	case unicode15.Is(unicode.Cf, r) || r >= '\ufe00' && r <= '\ufe0f': // format characters and variation selectors
		return ""
	case r >= 0xff01 && r <= 0xff5e: // full width
		return string(r - 0xfee0)
	case r >= 0x1d7ce && r <= 0x1d7ff: // mathematical digits, in five styles
		return string('0' + (r-0x1d7ce)%10)
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical letters: upper and lower case, in thirteen styles
		return string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(r-0x1d400)%52])
	case unicode15.IsDigit(r):
		return string(rune('0' + unicode15.Digit(r)))
	case unicode.IsSpace(r):
		return " "
	}
	return string(r)
}
