package web

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
)

// Address is the address by which a client reached its server, or the proxy before it.
func Address(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// AddressAt is the address of another port of the server that a client reached: on its host or,
// if that is any, at the name by which the client came.
func AddressAt(host string, port int, r *http.Request) string {
	if ip := net.ParseIP(bare(host)); host == "" || ip != nil && ip.IsUnspecified() {
		host = (&url.URL{Host: r.Host}).Hostname()
	}
	return "http://" + net.JoinHostPort(bare(host), strconv.Itoa(port))
}
