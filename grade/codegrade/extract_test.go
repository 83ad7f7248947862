package codegrade

import (
	"strings"
	"testing"
)

func TestExtract(t *testing.T) {
	const py = "```python\n"
	for _, c := range []struct {
		why  string
		e    Extraction
		text string
		want string
		ok   bool
	}{
		{"a block", Extraction{}, "Here:\n" + py + "x = 1\n```\nDone.", "x = 1\n", true},
		{"the last of two", Extraction{}, py + "a\n```\n" + py + "b\n```", "b\n", true},
		{"both", Extraction{Join: true}, py + "a\n```\n" + py + "b\n```", "a\n\nb\n", true},
		{"an output after it", Extraction{}, py + "a\n```\n```text\n3\n```", "a\n", true},
		{"an output without a language after it", Extraction{}, py + "a\n```\nprints\n```\n3\n```", "a\n", true},
		{"no language at all", Extraction{}, "```\na\n```", "a\n", true},
		{"a short name", Extraction{}, "```py\na\n```", "a\n", true},
		{"upper case", Extraction{}, "```Python3\na\n```", "a\n", true},
		{"words after the language", Extraction{}, "```python title=\"x\"\na\n```", "a\n", true},
		{"in braces", Extraction{}, "``` {.python}\na\n```", "a\n", true},
		{"another language", Extraction{}, "```java\na\n```", "", false},
		{"no block", Extraction{}, "x = 1", "", false},
		{"an empty reply", Extraction{}, "", "", false},
		{"in the thinking alone", Extraction{}, "<think>\n" + py + "a\n```\n</think>\nno", "", false},
		{"after the thinking", Extraction{}, "<think>\n" + py + "a\n```\n</think>\n" + py + "b\n```", "b\n", true},
		{"the thinking began in the prompt", Extraction{}, py + "a\n```\n</think>\n" + py + "b\n```", "b\n", true},
		{"no end", Extraction{}, py + "a\n", "a\n", true},
		{"no end since the reply was cut", Extraction{Cut: true}, py + "a\n", "", false},
		{"an end before the reply was cut", Extraction{Cut: true}, py + "a\n```\nand", "a\n", true},
		{"a longer fence", Extraction{}, "````python\na\n```\nb\n````", "a\n```\nb\n", true},
		{"tildes", Extraction{}, "~~~python\na\n```\n~~~", "a\n```\n", true},
		{"backticks within a line", Extraction{}, "use ```python x``` and\n" + py + "a\n```", "a\n", true},
		{"code in one line is no block", Extraction{}, "```python x```\nno", "", false},
		{"an indented block", Extraction{}, "1. so\n   ```python\n   if x:\n     y\n   ```", "if x:\n  y\n", true},
		{"Windows' line ends", Extraction{}, "```python\r\na\r\n```\r\n", "a\r\n", true},
		{"a language we do not know", Extraction{Language: "cobol"}, "```cobol\na\n```", "a\n", true},
		{"an empty block", Extraction{}, py + "```", "", true},
	} {
		if c.e.Language == "" {
			c.e.Language = "python"
		}
		if got, ok := c.e.Code(c.text); got != c.want || ok != c.ok {
			t.Errorf("%s: %q, %v, want %q, %v", c.why, got, ok, c.want, c.ok)
		}
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("```python\na\n```", false, false)
	f.Add("~~~\n<think>```py\n</think>````\n", true, true)
	f.Fuzz(func(t *testing.T, reply string, join, cut bool) {
		e := Extraction{Language: "python", Join: join, Cut: cut}
		code, ok := e.Code(reply)
		if len(code) > len(reply) || !ok && code != "" {
			t.Errorf("%q of a reply of %d bytes, %v", code, len(reply), ok)
		}
		for line := range strings.Lines(code) {
			if !join && len(reply) < 1000 && !strings.Contains(reply, strings.TrimLeft(line, " \t")) {
				t.Errorf("the line %q is not in the reply", line)
			}
		}
		fence := "````````````````````"
		if strings.Contains(reply, "<") || strings.Contains(reply, fence) || cut {
			return
		}
		if again, _ := Extract(fence+"python\n"+reply+"\n"+fence, "python"); again != reply+"\n" {
			t.Errorf("%q in a block of its own is read as %q", reply, again)
		}
	})
}
