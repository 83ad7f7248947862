package screen

import "regexp"

// Fault returns the text of an error for people: what the libraries of Go say of files and
// addresses stands in words. Like [Safe], it removes what commands a terminal.
func Fault(text string) string {
	for _, of := range library() {
		text = of.said.ReplaceAllString(text, of.words)
	}
	return Safe(text)
}

// A phrase is what a library of Go says, and the same in words.
type phrase struct {
	said  *regexp.Regexp
	words string
}

// library lists what the libraries of Go say.
func library() (all []phrase) {
	const call = `\b(?:open|openat|stat|lstat|read|readdirent|fdopendir|mkdir|rename|remove|unlink|chdir|fork/exec) `
	for _, of := range [][2]string{
		{call + `(.+?)(?: \S+)?: no such file or directory`, "there is no file or folder $1"},
		{call + `(.+?)(?: \S+)?: not a directory`, "$1 needs a folder where a file is"},
		{call + `(.+?): is a directory`, "$1 is a folder, want a file"},
		{call + `(.+?)(?: \S+)?: (?:permission denied|operation not permitted)`, "this user may not use $1"},
		{call + `(.+?)(?: \S+)?: read-only file system`, "$1 is on a disk that is read-only"},
		{call + `(.+?)(?: \S+)?: file exists`, "$1 is there already, and is something else"},
		{`(?:Get|Post|Put|Delete|Head) "([^"]*)": unsupported protocol scheme "[^"]*"`, "$1 is no address: want one with http:// before it"},
		{`(?:Get|Post|Put|Delete|Head) "[^"]*": `, ""},
		{`dial tcp:? (?:lookup )?([^ ]+?)(?: on [^ ]+)?: (?:connect: )?(?:connection refused|cannot assign requested address)`, "nothing answers at $1 (connection refused)"},
		{`dial tcp:? lookup ([^ :]+)[^;,\n]*: no such host`, "there is no host $1"},
		{`dial tcp:? ([^ ]+): i/o timeout`, "$1 does not answer in time"},
		{`context deadline exceeded(?: \(Client\.Timeout[^)]*\))?`, "it takes too long"},
	} {
		all = append(all, phrase{regexp.MustCompile(of[0]), of[1]})
	}
	return all
}
