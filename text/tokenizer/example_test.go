package tokenizer_test

import (
	"fmt"

	"github.com/quintain-rl/quintain/text/tokenizer"
)

func Example() {
	t, err := tokenizer.Parse([]byte(`{
		"version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
		"added_tokens": [{"id": 5, "content": "<end>", "special": true}],
		"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
		"decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
		"model": {"type": "BPE", "vocab": {"▁": 0, "h": 1, "i": 2, "hi": 3, "▁hi": 4}, "merges": ["h i", "▁ hi"]}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ids, err := t.Encode("hi hi<end>", false)
	fmt.Println(ids, err)
	fmt.Printf("%q\n", t.Decode(ids, true))

	stream := t.Stream(true)
	for _, id := range ids {
		fmt.Printf("%q ", stream.Next(id))
	}
	fmt.Printf("%q\n", stream.Flush())
	// Output:
	// [4 4 5] <nil>
	// "hi hi"
	// "hi" " hi" "" ""
}
