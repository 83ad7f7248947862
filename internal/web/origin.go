package web

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// letsIn reports whether a call may come from where it comes from, and answers it if
// not. A browser sends requests for any web page, wherever the page is from; it says so
// in Origin and Sec-Fetch-Site, which programs other than browsers leave out. Where no
// key is asked for, a page could also have its own name resolve to this machine, so the
// server goes by the names of this machine alone. A link may lead to a page from anywhere.
func (s *Server) letsIn(c *Call, page bool) bool {
	name := hostName(c.R.Host)
	switch {
	case s.anyPage():
	case len(s.grants) == 0 && name != "" && !loopback(name) && !s.ownName(c.R.Host):
		c.detail(http.StatusForbidden, "this server does not answer to the name "+name+
			": call it by 127.0.0.1 or localhost, or start it with --origins http://"+c.R.Host+" or with a key file")
		return false
	case s.listed(c.R.Header.Get("Origin")), page && followed(c.R):
	case foreign(c.R):
		c.detail(http.StatusForbidden, "web pages from elsewhere may not call this server: name their origin by --origins")
		return false
	}
	return true
}

// foreign reports whether a request comes from a web page of another origin.
func foreign(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		page, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(page.Host, r.Host) || page.Host == "" {
			return true
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}

// followed reports whether a request comes from a link, or the address line: what it is
// answered is shown by itself, and no page can read it.
func followed(r *http.Request) bool {
	h := r.Header
	return h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document" && h.Get("Origin") == ""
}

// anyPage reports whether web pages of all origins may call.
func (s *Server) anyPage() bool { return slices.Contains(s.config.Settings.Origins, "*") }

// listed reports whether web pages of an origin may call.
func (s *Server) listed(origin string) bool {
	return origin != "" && (s.anyPage() || slices.Contains(s.config.Settings.Origins, origin))
}

// ownName reports whether one of the origins has this name and port: then that is a name
// of the server.
func (s *Server) ownName(host string) bool {
	return slices.ContainsFunc(s.config.Settings.Origins, func(origin string) bool {
		_, name, _ := strings.Cut(origin, "://")
		return strings.EqualFold(strings.TrimSuffix(name, "/"), host)
	})
}

// hostName is a host without its port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return bare(host)
}

// bare is a host without the brackets of an IPv6 address.
func bare(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		if ip, ok := strings.CutSuffix(inner, "]"); ok {
			return ip
		}
	}
	return host
}

// loopback reports whether a host is this machine alone.
func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// crossOrigin lets web pages of the allowed origins call, and answers what their
// browsers ask beforehand. It reports whether the call is answered.
func (s *Server) crossOrigin(c *Call) bool {
	origin := c.R.Header.Get("Origin")
	if len(s.config.Settings.Origins) == 0 || origin == "" {
		return false
	}
	h := c.W.Header()
	h.Add("Vary", "Origin")
	if !s.listed(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if len(s.config.Expose) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(s.config.Expose, ", "))
	}
	asked := c.R.Header.Get("Access-Control-Request-Method")
	if c.R.Method != http.MethodOptions || asked == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", asked)
	if headers := c.R.Header.Get("Access-Control-Request-Headers"); headers != "" {
		h.Set("Access-Control-Allow-Headers", headers)
	}
	h.Set("Access-Control-Max-Age", "600")
	c.W.WriteHeader(http.StatusNoContent)
	return true
}
