package resident_test

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/resident"
)

// fromFiles is how many kilobytes of this process are pages of files.
func fromFiles(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s*(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no RssFile in %s", text)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRelease(t *testing.T) {
	before := fromFiles(t)
	if err := resident.Release(); err != nil {
		t.Fatal(err)
	}
	if after := fromFiles(t); after >= before {
		t.Errorf("%d KB of files after %d KB", after, before)
	}
}

// A server gives the pages back once it listens.
func ExampleRelease() {
	if err := resident.Release(); err != nil {
		log.Print(err) // it only takes more memory
	}
	fmt.Println("ready")
	// Output: ready
}
