package web_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain/internal/web"
)

// A server with one route that greets by name.
func Example() {
	s, err := web.New(web.Config{Name: "greeter", Routes: []web.Route{{
		Method: "POST", Path: "/greetings/{name}", Serve: func(c *web.Call) error {
			word, err := web.ReadBody(c, func(b []byte) (string, error) { return string(b), nil })
			if err != nil {
				return err
			}
			return c.Text(http.StatusOK, word+", "+c.Param("name")+"!")
		},
	}}})
	if err != nil {
		log.Fatal(err)
	}
	l, err := web.Listen(context.Background(), web.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, l) }()

	reply, err := http.Post("http://"+l.Addr().String()+"/greetings/Ann", "text/plain", strings.NewReader("Hello"))
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(reply.Body)
	fmt.Println(string(text), err)
	reply.Body.Close()
	stop()
	fmt.Println(<-ended)
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// Hello, Ann! <nil>
	// <nil>
}
