package dialect

import (
	"strings"

	"github.com/quintain-rl/quintain"
)

// content reads the content of a message: a text, a list of parts, or null. Texts are joined
// unless there are other parts among them.
func (v value) content() (text string, parts []quintain.Part) {
	if !v.is('[') {
		return v.string(), nil
	}
	v.elements(func(_ int, one value) { parts = append(parts, one.fields().part()) })
	return joined(parts)
}

// joined makes one text of parts that are only texts.
func joined(parts []quintain.Part) (text string, rest []quintain.Part) {
	var b strings.Builder
	for _, p := range parts {
		if p.Type != quintain.PartText {
			return "", parts
		}
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// part reads a part of a content, by the names of every dialect.
func (f fields) part() quintain.Part {
	kind := f.get("type")
	switch name := kind.string(); name {
	case partImage, "input_image", "image":
		if kind.body.limits.TextOnly {
			kind.refuse(CodeValue, "a part of type %q is not served: this policy reads only texts", name)
			return quintain.Part{}
		}
	}
	switch name := kind.string(); name {
	case "text", "input_text", "output_text", "reasoning_text", "summary_text":
		return quintain.Part{Type: quintain.PartText, Text: f.get("text").string()}
	case "refusal":
		return quintain.Part{Type: quintain.PartText, Text: f.get("refusal").string()}
	case partImage:
		image := f.get("image_url")
		if image.is('"') {
			return f.image(image.string(), value{})
		}
		inner := image.fields()
		return f.image(inner.get("url").string(), inner.get("detail"))
	case "input_image":
		return f.image(f.get("image_url").string(), f.get("detail"))
	case "image":
		return f.source()
	default:
		if !kind.failed() {
			kind.refuse(CodeValue, "a part of type %q is not served: only texts and images are", name)
		}
		return quintain.Part{}
	}
}

// partImage is the type of an image in chat completions.
const partImage = "image_url"

// image makes the part of an image in the form of chat completions.
func (f fields) image(url string, detail value) quintain.Part {
	if url == "" && !f.failed() {
		f.want("an image with an address or its data")
	}
	inner := object{{"url", url}}
	if detail.given() {
		inner = append(inner, member{"detail", detail.string()})
	}
	return quintain.Part{Type: partImage, Raw: write(object{{"type", partImage}, {partImage, inner}})}
}

// source reads an image of Anthropic.
func (f fields) source() quintain.Part {
	s := f.get("source").fields()
	kind := s.get("type")
	switch kind.string() {
	case "base64":
		return f.image("data:"+s.get("media_type").string()+";base64,"+s.get("data").string(), value{})
	case "url":
		return f.image(s.get("url").string(), value{})
	}
	if !kind.failed() {
		kind.refuse(CodeValue, "want base64 or url")
	}
	return quintain.Part{}
}
