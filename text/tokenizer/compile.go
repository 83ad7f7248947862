package tokenizer

import (
	"encoding/base64"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizers returns the steps of a normalizer.
func (c component) normalizers() ([]normalizer, error) {
	return stepper[normalizer]{field: "normalizers", compile: component.normalizer}.steps(c, 0)
}

// normalizer compiles a normalizer by its type.
func (c component) normalizer(kind string) ([]normalizer, error) {
	switch kind {
	case "BertNormalizer":
		return c.bertNormalizer()
	case "Replace":
		return one[normalizer](c.replaceForm())
	case "Precompiled":
		return one[normalizer](c.precompiled())
	case "Strip":
		form := struct {
			typed
			Left  bool `json:"strip_left"`
			Right bool `json:"strip_right"`
		}{Left: true, Right: true}
		err := c.read(&form)
		return []normalizer{strip{form.Left, form.Right}}, err
	case "Prepend":
		var form struct {
			typed
			Prepend string `json:"prepend"`
		}
		err := c.read(&form)
		return []normalizer{prepend(form.Prepend)}, err
	}
	n := plainNormalizer(kind)
	if n == nil {
		return nil, c.unknown(kind)
	}
	return []normalizer{n}, c.read(&typed{})
}

// plainNormalizer returns a normalizer without settings; nil for other types.
func plainNormalizer(kind string) normalizer {
	switch kind {
	case "NFC":
		return normalForm(norm.NFC)
	case "NFD":
		return normalForm(norm.NFD)
	case "NFKC":
		return normalForm(norm.NFKC)
	case "NFKD":
		return normalForm(norm.NFKD)
	case "Lowercase":
		return runewise(appendLower)
	case "StripAccents":
		return runewise(stripAccents)
	case "Nmt":
		return runewise(nmt)
	case "ByteLevel":
		return runewise(visibleBytes)
	}
	return nil
}

// A stepper compiles one kind of component.
type stepper[T any] struct {
	field   string // the field with the components of a sequence
	absent  []T    // the steps of an absent component
	compile func(c component, kind string) ([]T, error)
}

// steps returns the steps of c; c is depth sequences deep.
func (s stepper[T]) steps(c component, depth int) ([]T, error) {
	if c.none() {
		return s.absent, nil
	}
	kind, err := c.kind()
	if err != nil {
		return nil, err
	}
	if kind != "Sequence" {
		return s.compile(c, kind)
	}
	list, err := c.list(s.field, depth)
	if err != nil {
		return nil, err
	}
	var all []T
	for _, inner := range list {
		some, err := s.steps(inner, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// one returns a list of one step.
func one[T, S any](step S, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return []T{any(step).(T)}, nil
}

// bertNormalizer compiles BERT's normalizer.
func (c component) bertNormalizer() (steps []normalizer, err error) {
	form := struct {
		typed
		CleanText          bool  `json:"clean_text"`
		HandleChineseChars bool  `json:"handle_chinese_chars"`
		StripAccents       *bool `json:"strip_accents"`
		Lowercase          bool  `json:"lowercase"`
	}{CleanText: true, HandleChineseChars: true, Lowercase: true}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	if form.CleanText {
		steps = append(steps, runewise(cleanBert))
	}
	if form.HandleChineseChars {
		steps = append(steps, runewise(spaceHan))
	}
	if form.StripAccents == nil && form.Lowercase || form.StripAccents != nil && *form.StripAccents {
		steps = append(steps, normalForm(norm.NFD), runewise(stripMarks))
	}
	if form.Lowercase {
		steps = append(steps, runewise(appendLower))
	}
	return steps, nil
}

// replaceForm compiles a Replace, of normalizers or decoders.
func (c component) replaceForm() (*replace, error) {
	var form struct {
		typed
		Pattern patternForm `json:"pattern"`
		Content string      `json:"content"`
	}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	found, err := form.Pattern.finder()
	if err != nil {
		return nil, c.errorf("%w", err)
	}
	return &replace{found, form.Content}, nil
}

// precompiled compiles a charsmap.
func (c component) precompiled() (*charsmap, error) {
	var form struct {
		typed
		Charsmap string `json:"precompiled_charsmap"`
	}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(form.Charsmap)
	if err != nil {
		return nil, c.errorf("precompiled_charsmap: %w", err)
	}
	m, err := parseCharsmap(raw)
	if err != nil {
		return nil, c.errorf("precompiled_charsmap: %w", err)
	}
	return m, nil
}

// splitters returns the steps of a pre-tokenizer.
func (c component) splitters() ([]splitter, error) {
	return stepper[splitter]{field: "pretokenizers", compile: component.splitter}.steps(c, 0)
}

// splitter compiles a pre-tokenizer by its type.
func (c component) splitter(kind string) ([]splitter, error) {
	switch kind {
	case "Split":
		return one[splitter](c.splitForm())
	case "ByteLevel":
		return one[splitter](c.byteLevelForm())
	case "Metaspace":
		return one[splitter](c.metaspaceForm())
	case "Whitespace":
		return []splitter{&splitAt{wordsAndSigns(), removed, true}}, c.read(&typed{})
	case "WhitespaceSplit":
		return []splitter{&splitAt{predicate(unicode.IsSpace), removed, false}}, c.read(&typed{})
	case "BertPreTokenizer":
		return []splitter{
			&splitAt{predicate(unicode.IsSpace), removed, false},
			&splitAt{predicate(isPunctuation), isolated, false},
		}, c.read(&typed{})
	}
	return c.charSplitters(kind)
}

// charSplitters compiles pre-tokenizers that split at certain characters.
func (c component) charSplitters(kind string) ([]splitter, error) {
	form := struct {
		typed
		Behavior  *behavior `json:"behavior"`
		Delimiter *string   `json:"delimiter"`
		Digits    *bool     `json:"individual_digits"`
		Length    *int      `json:"length"`
	}{}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	switch {
	case kind == "Punctuation":
		b := isolated
		if form.Behavior != nil {
			b = *form.Behavior
		}
		return []splitter{&splitAt{predicate(isPunctuation), b, false}}, c.checkBehavior(b)
	case kind == "Digits":
		b := contiguous
		if form.Digits != nil && *form.Digits {
			b = isolated
		}
		return []splitter{&splitAt{predicate(isNumber), b, false}}, nil
	case kind == "CharDelimiterSplit" && form.Delimiter != nil && utf8.RuneCountInString(*form.Delimiter) == 1:
		return []splitter{&splitAt{literal(*form.Delimiter), removed, false}}, nil
	case kind == "FixedLength" && form.Length != nil && *form.Length > 0:
		return []splitter{chunker(*form.Length)}, nil
	case kind == "CharDelimiterSplit", kind == "FixedLength":
		return nil, c.errorf("want a delimiter of one character, or a length of at least 1")
	}
	return nil, c.unknown(kind)
}

// checkBehavior rejects an unknown behavior.
func (c component) checkBehavior(b behavior) error {
	switch b {
	case removed, isolated, mergedWithPrevious, mergedWithNext, contiguous:
		return nil
	}
	return c.errorf("behavior: %q is not supported", b)
}

// splitForm compiles a Split.
func (c component) splitForm() (*splitAt, error) {
	var form struct {
		typed
		Pattern  patternForm `json:"pattern"`
		Behavior behavior    `json:"behavior"`
		Invert   bool        `json:"invert"`
	}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	found, err := form.Pattern.finder()
	if err != nil {
		return nil, c.errorf("%w", err)
	}
	if form.Invert && form.Behavior == isolated {
		form.Invert = false // the parts are the same
	}
	return &splitAt{found, form.Behavior, form.Invert}, c.checkBehavior(form.Behavior)
}

// byteLevelOptions are the settings shared by ByteLevel components. Most only shift
// offsets.
type byteLevelOptions struct {
	typed
	AddPrefixSpace bool `json:"add_prefix_space"`
	TrimOffsets    bool `json:"trim_offsets"`
	UseRegex       bool `json:"use_regex"`
}

// byteLevelForm compiles a ByteLevel.
func (c component) byteLevelForm() (*byteLevel, error) {
	form := byteLevelOptions{UseRegex: true}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	b := &byteLevel{prefixSpace: form.AddPrefixSpace}
	if form.UseRegex {
		var err error
		if b.pattern, err = parsePattern(gpt2); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// metaspaceForm compiles a Metaspace, of pre-tokenizers or decoders.
func (c component) metaspaceForm() (*metaspace, error) {
	form := struct {
		typed
		Replacement    string         `json:"replacement"`
		AddPrefixSpace *bool          `json:"add_prefix_space"` // older files
		StrRep         string         `json:"str_rep"`          // older files: the replacement again
		PrependScheme  *prependScheme `json:"prepend_scheme"`
		Split          *bool          `json:"split"`
	}{}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	m := &metaspace{replacement: form.Replacement, scheme: always, whole: form.Split != nil && !*form.Split}
	if form.PrependScheme != nil {
		m.scheme = *form.PrependScheme
	}
	if form.AddPrefixSpace != nil && !*form.AddPrefixSpace {
		if form.PrependScheme != nil && m.scheme != never {
			return nil, c.errorf("add_prefix_space is false, but prepend_scheme is %q", m.scheme)
		}
		m.scheme = never
	}
	if utf8.RuneCountInString(m.replacement) != 1 || !slices.Contains([]prependScheme{always, onlyFirst, never}, m.scheme) {
		return nil, c.errorf("want a replacement of one character, and always, first or never as prepend_scheme")
	}
	return m, nil
}
