package tokenizer

import (
	"fmt"
)

func Example_parsePattern() {
	p, err := parsePattern(` ?\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+`)
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "two  words 1234"
	err = p.Find(text, func(start, end int) { fmt.Printf("%q ", text[start:end]) })
	fmt.Println(err)
	_, err = parsePattern(`(?<=a)b`)
	fmt.Println(err)
	// Output:
	// "two" " " " words" " " "123" "4" <nil>
	// pattern "(?<=a)b": at byte 0: "(?<=" is not supported
}
