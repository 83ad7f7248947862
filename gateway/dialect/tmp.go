package dialect

import "fmt"

func Completions() Dialect                                 { return chat{} }
func Responses() Dialect                                   { return chat{} }
func Messages() Dialect                                    { return chat{} }
func DecodeCount(body []byte, l Limits) (*Request, *Error) { return chat{}.Decode(body, l) }
func EncodeCount(n int) []byte                             { return fmt.Appendf(nil, `{"input_tokens":%d}`, n) }
