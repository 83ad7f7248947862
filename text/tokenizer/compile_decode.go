package tokenizer

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// decoders returns the steps of a decoder.
func (c component) decoders() ([]decoder, error) {
	absent := []decoder{func(to stage) stage { return &spaced{to: to} }}
	return stepper[decoder]{"decoders", absent, component.decoder}.steps(c, 0)
}

// decoder compiles a decoder by its type.
func (c component) decoder(kind string) ([]decoder, error) {
	var d decoder
	var err error
	switch kind {
	case "ByteLevel":
		d, err = func(to stage) stage { return &byteLevelStage{to: to} }, c.read(&byteLevelOptions{})
	case "ByteFallback":
		d, err = func(to stage) stage { return &byteFallbackStage{to: to} }, c.read(&typed{})
	case "Fuse":
		d, err = func(to stage) stage { return &fuse{to} }, c.read(&typed{})
	case "Replace":
		d, err = c.replaceDecoder()
	case "Strip":
		d, err = c.stripDecoder()
	case "Metaspace":
		d, err = c.metaspaceDecoder()
	case "WordPiece", "CTC", "BPEDecoder":
		d, err = c.wordDecoder(kind)
	default:
		err = c.unknown(kind)
	}
	return []decoder{d}, err
}

// replaceDecoder compiles a Replace.
func (c component) replaceDecoder() (decoder, error) {
	r, err := c.replaceForm()
	if err != nil {
		return nil, err
	}
	if from, ok := r.finder.(literal); ok {
		return func(to stage) stage { return &replaceStage{to: to, from: string(from), by: r.by} }, nil
	}
	return eachToken(func(token string, _ int) (string, bool) {
		x, _ := r.normalize(piece{text: token}) // a pattern that gives up leaves the token as it is
		return x.text, true
	}), nil
}

// stripDecoder compiles a Strip.
func (c component) stripDecoder() (decoder, error) {
	var form struct {
		typed
		Content string `json:"content"`
		Start   int    `json:"start"`
		Stop    int    `json:"stop"`
	}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(form.Content) != 1 || form.Start < 0 || form.Stop < 0 {
		return nil, c.errorf("want one character as content, and no negative start or stop")
	}
	return func(to stage) stage {
		return &stripStage{to: to, char: form.Content, start: form.Start, stop: form.Stop}
	}, nil
}

// metaspaceDecoder compiles a Metaspace.
func (c component) metaspaceDecoder() (decoder, error) {
	m, err := c.metaspaceForm()
	if err != nil {
		return nil, err
	}
	return eachToken(func(token string, index int) (string, bool) {
		by := " "
		if index == 0 && m.scheme != never {
			by = ""
		}
		return strings.ReplaceAll(token, m.replacement, by), true
	}), nil
}

// wordDecoder compiles a decoder of words.
func (c component) wordDecoder(kind string) (decoder, error) {
	form := struct {
		typed
		Prefix    string `json:"prefix"`
		Suffix    string `json:"suffix"`
		Pad       string `json:"pad_token"`
		Delimiter string `json:"word_delimiter_token"`
		Cleanup   bool   `json:"cleanup"`
	}{}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	switch {
	case kind == "BPEDecoder" && form.Suffix != "":
		return func(to stage) stage { return &suffixStage{to: to, suffix: form.Suffix} }, nil
	case kind == "CTC" && form.Pad != "" && form.Delimiter != "":
		return func(to stage) stage {
			return &wholeStage{to: to, each: ctc(form.Pad, form.Delimiter, form.Cleanup)}
		}, nil
	case kind != "WordPiece":
		return nil, c.errorf("want a suffix, or a pad_token and a word_delimiter_token")
	}
	return eachToken(func(token string, index int) (string, bool) {
		if rest, within := strings.CutPrefix(token, form.Prefix); index > 0 && within {
			token = rest
		} else if index > 0 {
			token = " " + token
		}
		if form.Cleanup {
			token = unspace(token)
		}
		return token, true
	}), nil
}

// ctc drops repeated tokens and the padding.
func ctc(pad, delimiter string, cleanup bool) func(string, int) (string, bool) {
	previous := ""
	return func(token string, index int) (string, bool) {
		if index > 0 && token == previous {
			return "", false
		}
		previous = token
		token = strings.ReplaceAll(token, pad, "")
		if cleanup {
			token = strings.ReplaceAll(unspace(token), delimiter, " ")
		}
		return token, token != ""
	}
}

// A frame is the tokens that post-processing puts around a text.
type frame struct{ before, after []int32 }

// frames returns the steps of a post-processor.
func (c component) frames() ([]frame, error) {
	return stepper[frame]{field: "processors", compile: component.frame}.steps(c, 0)
}

// frame compiles a post-processor by its type.
func (c component) frame(kind string) ([]frame, error) {
	switch kind {
	case "ByteLevel":
		return nil, c.read(&byteLevelOptions{})
	case "BertProcessing", "RobertaProcessing":
		return c.bertFrame()
	case "TemplateProcessing":
		return c.templateFrame()
	}
	return nil, c.unknown(kind)
}

// bertFrame compiles a BertProcessing or a RobertaProcessing.
func (c component) bertFrame() ([]frame, error) {
	var form struct {
		byteLevelOptions
		Sep []any `json:"sep"` // token and id
		Cls []any `json:"cls"`
	}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	sep, ok := numberOf(form.Sep)
	cls, are := numberOf(form.Cls)
	if !ok || !are {
		return nil, c.errorf("want a token and its id as sep and as cls")
	}
	return []frame{{[]int32{cls}, []int32{sep}}}, nil
}

// numberOf returns the id from a list of a token and its id.
func numberOf(pair []any) (id int32, ok bool) {
	if len(pair) != 2 {
		return 0, false
	}
	n, ok := pair[1].(float64)
	if id = int32(n); !ok || n < 0 || n > maxID || float64(id) != n {
		return 0, false
	}
	return id, true
}

// A templatePiece is one piece of a template: either of two.
type templatePiece struct {
	SpecialToken *templateName `json:"SpecialToken"`
	Sequence     *templateName `json:"Sequence"`
}

type templateName struct {
	ID     string `json:"id"`
	TypeID int    `json:"type_id"`
}

// templateFrame compiles the template for a single text.
func (c component) templateFrame() ([]frame, error) {
	var form struct {
		typed
		Single        []templatePiece `json:"single"`
		Pair          []templatePiece `json:"pair"`
		SpecialTokens map[string]struct {
			ID     string   `json:"id"`
			IDs    []int32  `json:"ids"`
			Tokens []string `json:"tokens"`
		} `json:"special_tokens"`
	}
	if err := c.read(&form); err != nil {
		return nil, err
	}
	text := slices.IndexFunc(form.Single, func(p templatePiece) bool { return p.Sequence != nil && p.Sequence.ID == "A" })
	if text < 0 {
		return nil, c.errorf("single: want the sequence A once")
	}
	var f frame
	for i, piece := range form.Single {
		if i == text {
			continue
		}
		if piece.SpecialToken == nil {
			return nil, c.errorf("single[%d]: want the sequence A once, and special tokens", i)
		}
		token, known := form.SpecialTokens[piece.SpecialToken.ID]
		if !known {
			return nil, c.errorf("single[%d]: %q is not among special_tokens", i, piece.SpecialToken.ID)
		}
		if i < text {
			f.before = append(f.before, token.IDs...)
		} else {
			f.after = append(f.after, token.IDs...)
		}
	}
	return []frame{f}, nil
}

// wrap nests the frames, the first innermost.
func wrap(frames []frame) (whole frame) {
	for _, f := range frames {
		whole.before = slices.Concat(f.before, whole.before)
		whole.after = slices.Concat(whole.after, f.after)
	}
	return whole
}
