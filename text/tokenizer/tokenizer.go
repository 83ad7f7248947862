// Package tokenizer turns text into the tokens of a language model and back. It reads
// tokenizer.json, the file format of Hugging Face's library tokenizers, and returns the same
// tokens as that library, called the reference here.
//
// It supports models of the types BPE, Unigram, WordPiece and WordLevel, with the steps
// before and after them. It rejects anything else with its path in the file, so that it
// never tokenizes a text almost right. It leaves truncation and padding to the caller. The
// page docs/tokenizer.md lists all that it does not do.
//
// All methods of a [Tokenizer] are safe for concurrent use. The cost of any text grows with
// its length.
package tokenizer

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Tokenizer encodes and decodes text. [Load] and [Parse] return one. It is safe for
// concurrent use.
type Tokenizer struct {
	vocabulary *vocabulary
	added      *addedTokens
	normalizer normalizer // nil: none
	splitters  []splitter
	model      model
	decoders   []decoder
	frame      frame

	cache    cache
	encoders sync.Pool // of *encoder
}

// Parse builds a tokenizer from the text of a tokenizer.json. Its errors name the invalid or
// unsupported part of the file. It does not retain text.
func Parse(text []byte) (*Tokenizer, error) {
	f, err := parseFile(text)
	if err != nil {
		return nil, err
	}
	return f.tokenizer()
}

// tokenizer builds a tokenizer from the file.
func (f *file) tokenizer() (*Tokenizer, error) {
	t := &Tokenizer{vocabulary: f.vocabulary, cache: cache{seed: maphash.MakeSeed()}}
	steps, err := component{"normalizer", f.settings.Normalizer}.normalizers()
	if err != nil {
		return nil, err
	}
	if len(steps) > 0 {
		t.normalizer = normalizers(steps)
	}
	if t.splitters, err = (component{"pre_tokenizer", f.settings.PreTokenizer}).splitters(); err != nil {
		return nil, err
	}
	if t.decoders, err = (component{"decoder", f.settings.Decoder}).decoders(); err != nil {
		return nil, err
	}
	frames, err := component{"post_processor", f.settings.PostProcessor}.frames()
	if err != nil {
		return nil, err
	}
	t.frame = wrap(frames)
	if t.added, err = newAddedTokens(f.settings.AddedTokens, f.vocabulary, t.normalizer); err != nil {
		return nil, err
	}
	if err := t.setModel(f); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	t.encoders.New = func() any { return t.newEncoder() }
	return t, nil
}

// setModel builds the model, and adapts the last step before it.
func (t *Tokenizer) setModel(f *file) (err error) {
	form := f.settings.Model
	switch form.Type {
	case "BPE":
		m := newBPE(f)
		if form.Dropout != nil && *form.Dropout != 0 {
			return errors.New("dropout is not supported: the same text would have other tokens each time")
		}
		if last := len(t.splitters) - 1; last >= 0 {
			if b, ok := t.splitters[last].(*byteLevel); ok && m.prefix+m.suffix == "" && !form.ByteFallback {
				b.raw = true
				m.takeBytes()
			}
		}
		if c := newCutter(m, "▁"); c != nil {
			t.splitters = append(t.splitters, c)
		}
		t.model = m
	case "Unigram":
		t.model, err = newUnigram(f)
	case "WordPiece":
		t.model, err = newWordPiece(f)
	case "WordLevel":
		m := &wordLevel{vocabulary: f.vocabulary, unknown: -1}
		if form.UnkToken != nil {
			m.unknown, m.unknownName = f.vocabulary.id(*form.UnkToken), *form.UnkToken
		}
		t.model = m
	default:
		err = fmt.Errorf("the type %q is not supported", form.Type)
	}
	return err
}

// normalizers are steps in order.
type normalizers []normalizer

func (n normalizers) normalize(x piece) (piece, error) {
	for _, step := range n {
		var err error
		if x, err = step.normalize(x); err != nil {
			return x, err
		}
	}
	return x, nil
}

// Encode returns the tokens of text. If special is true, it adds the tokens that the model
// expects at the start and the end of a text, such as <s>. It finds special tokens written
// out in text either way.
//
// It fails if text is not valid UTF-8, if the vocabulary has neither tokens for a part of it
// nor an unknown token, and if the file's own pattern takes far more steps than the text has
// bytes.
func (t *Tokenizer) Encode(text string, special bool) ([]int32, error) {
	return t.EncodeQuoted(text, special, nil)
}

// EncodeQuoted is Encode, except that it takes the added tokens written out at the offsets
// quoted, which ascend, for plain text. It cannot if the model's vocabulary has the token, or
// if the token is looked for after a normalizer that changes the text: other tokens than special
// ones are then found as by Encode, and a special one is an error. See [Tokenizer.Written].
func (t *Tokenizer) EncodeQuoted(text string, special bool, quoted []int) ([]int32, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not valid UTF-8")
	}
	e := t.encoders.Get().(*encoder)
	defer t.encoders.Put(e)
	if special {
		e.ids = append(e.ids, t.frame.before...)
	}
	e.begin, e.specials = len(e.ids), 0
	err := e.encode(text, quoted)
	if special {
		e.ids = append(e.ids, t.frame.after...)
	}
	ids := slices.Clone(e.ids)
	e.reset()
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// An encoder encodes texts, one at a time.
type encoder struct {
	*Tokenizer
	steps []func(piece) // the input of each splitter, then that of the model
	ids   []int32
	err   error

	begin    int   // index in ids of the text's first
	specials int   // special tokens found in the text
	quoted   []int // offsets of added tokens that are text, from the gap between others on
	scratch  scratch
}

// maxScratch is how many tokens of memory an encoder keeps for the next text.
const maxScratch = 1 << 16

// newEncoder returns an encoder that chains its splitters to the model.
func (t *Tokenizer) newEncoder() *encoder {
	e := &encoder{Tokenizer: t, steps: make([]func(piece), len(t.splitters)+1)}
	e.steps[len(t.splitters)] = e.word
	for i, s := range slices.Backward(t.splitters) {
		next := e.steps[i+1]
		e.steps[i] = func(x piece) {
			if x.text == "" || e.err != nil {
				return
			}
			if err := s.split(x, next); err != nil && e.err == nil {
				e.err = err
			}
		}
	}
	return e
}

// reset prepares e for another text.
func (e *encoder) reset() {
	e.ids, e.err, e.quoted = e.ids[:0], nil, nil
	if max(cap(e.ids), cap(e.scratch.symbols), cap(e.scratch.paths)) > maxScratch {
		e.ids, e.scratch = nil, scratch{}
	}
}

// errNotText is the error for special tokens that stay what they are.
var errNotText = errors.New("this tokenizer cannot encode its special tokens as text")

// encode appends the tokens of text.
func (e *encoder) encode(text string, quoted []int) error {
	e.quoted = quoted
	e.added.exact.each(piece{text, true}, quoted, e.normalized, e.add)
	if len(quoted) == 0 || e.err != nil {
		return e.err
	}
	for _, id := range e.ids[e.begin:] {
		if e.added.byID[id].Special {
			e.specials--
		}
	}
	if e.specials != 0 { // the model's vocabulary has one
		return errNotText
	}
	return nil
}

// normalized takes the text between the added tokens found before normalization, which begins
// at an offset of the whole text.
func (e *encoder) normalized(x piece, at int) {
	written := x.text
	if e.normalizer != nil {
		var err error
		if x, err = e.normalizer.normalize(x); err != nil && e.err == nil {
			e.err = err
		}
	}
	var quoted []int
	for ; len(e.quoted) > 0 && e.quoted[0] < at+len(written); e.quoted = e.quoted[1:] {
		i := e.quoted[0] - at
		if i < 0 { // another token took it
			continue
		}
		if x.text == written {
			quoted = append(quoted, i)
		} else if token, _ := e.added.normalized.at(written, i); token != nil && token.Special && e.err == nil {
			e.err = errNotText
		}
	}
	e.added.normalized.each(x, quoted, func(x piece, _ int) { e.steps[0](x) }, e.add)
}

// add appends an added token.
func (e *encoder) add(id int32) {
	e.ids = append(e.ids, id)
	if e.added.byID[id].Special {
		e.specials++
	}
}

// word appends the tokens of a word.
func (e *encoder) word(x piece) {
	if x.text == "" || e.err != nil {
		return
	}
	if len(x.text) > maxCached {
		e.ids, e.err = e.model.appendWord(e.ids, x.text, &e.scratch)
		return
	}
	known, place := e.cache.get(x.text)
	if known != nil {
		e.ids = append(e.ids, known.ids...)
		return
	}
	begin := len(e.ids)
	if e.ids, e.err = e.model.appendWord(e.ids, x.text, &e.scratch); e.err != nil {
		return
	}
	e.cache.put(place, x.text, e.ids[begin:])
}

// Decode returns the text of tokens. It skips numbers without a token and, if skipSpecial is
// true, special tokens.
func (t *Tokenizer) Decode(ids []int32, skipSpecial bool) string {
	s := t.Stream(skipSpecial)
	for _, id := range ids {
		s.put(id)
	}
	s.first.end()
	return string(s.sink.text)
}

// A Stream decodes tokens as they come. It is not safe for concurrent use.
type Stream struct {
	tokenizer   *Tokenizer
	skipSpecial bool
	first       stage
	sink        sink
}

// Stream returns a stream that skips special tokens if skipSpecial is true.
func (t *Tokenizer) Stream(skipSpecial bool) *Stream {
	s := &Stream{tokenizer: t, skipSpecial: skipSpecial}
	s.first = &s.sink
	for _, d := range slices.Backward(t.decoders) {
		s.first = d(s.first)
	}
	return s
}

// Next takes a token and returns the text that is now certain: whole characters, often one
// token's, and nothing while a character is incomplete. The texts of all calls, then that of
// Flush, add up to the result of Decode.
func (s *Stream) Next(id int32) string {
	s.put(id)
	return s.take()
}

// Flush returns the remaining text. It ends the use of the stream.
func (s *Stream) Flush() string {
	s.first.end()
	return s.take()
}

// put passes a token to the first stage.
func (s *Stream) put(id int32) {
	token, known := s.tokenizer.vocabulary.token(id)
	if added, ok := s.tokenizer.added.byID[id]; ok {
		token, known = added.text, true
	}
	if !known || s.skipSpecial && s.tokenizer.added.special[token] {
		return
	}
	s.first.put(token, true)
}

// take empties the sink.
func (s *Stream) take() string {
	text := string(s.sink.text)
	s.sink.text = s.sink.text[:0]
	return text
}

// Token returns the token with a number, as the file spells it.
func (t *Tokenizer) Token(id int32) (token string, known bool) {
	if added, ok := t.added.byID[id]; ok {
		return added.Content, true
	}
	return t.vocabulary.token(id)
}

// ID returns the number of a token, as the file spells it.
func (t *Tokenizer) ID(token string) (id int32, known bool) {
	if id, ok := t.added.byContent[token]; ok {
		return id, true
	}
	id = t.vocabulary.id(token)
	return id, id >= 0
}

// Written returns the offsets at which text writes out a special token, or another added token
// of which tag is true, in order. White space is none, and a tag of nil is false.
func (t *Tokenizer) Written(text string, tag func(token string) bool) (offsets []int) {
	for i := 0; i < len(text); i++ {
		next := strings.IndexAny(text[i:], t.added.begins)
		if next < 0 {
			break
		}
		i += next
		for _, s := range []*search{t.added.exact, t.added.normalized} {
			if token, _ := s.at(text, i); token != nil && (token.Special || tag != nil && !token.blank() && tag(token.Content)) {
				offsets = append(offsets, i)
				break
			}
		}
	}
	return offsets
}

// Special returns the numbers of the special tokens, in order.
func (t *Tokenizer) Special() []int32 {
	var ids []int32
	for id, token := range t.added.byID {
		if token.Special {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Size returns one more than the greatest token number.
func (t *Tokenizer) Size() int { return int(t.added.limit) }
