package web

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// letsIn reports whether a call's origin is allowed, and answers the call if not. Browsers
// send requests on behalf of any web page and name its origin in Origin and Sec-Fetch-Site;
// other programs send neither. If the server has no keys, a page could also point its own
// host name at this machine, so only the machine's names count. Links may lead to a page
// from anywhere.
func (s *Server) letsIn(c *Call, page bool) bool {
	if s.anyPage() {
		return true
	}
	name := hostName(c.R.Host)
	if len(s.grants) == 0 && name != "" && !loopback(name) && !s.ownName(c.R.Host) {
		c.detail(http.StatusForbidden, "this server does not answer to the name "+name+
			": call it by 127.0.0.1 or localhost, or start it with --with server.origins=http://"+c.R.Host+" or with a key file")
		return false
	}
	if s.listed(c.R.Header.Get("Origin")) || page && followed(c.R) || !foreign(c.R) {
		return true
	}
	c.detail(http.StatusForbidden, "web pages from elsewhere may not call this server: name their origin by server.origins")
	return false
}

// foreign reports whether a web page of another origin sent the request.
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

// followed reports whether a person followed a link or typed the address: the browser shows
// the reply alone, and no page can read it.
func followed(r *http.Request) bool {
	h := r.Header
	return h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document" && h.Get("Origin") == ""
}

// anyPage reports whether pages of all origins may call.
func (s *Server) anyPage() bool { return slices.Contains(s.config.Settings.Origins, "*") }

// listed reports whether pages of an origin may call.
func (s *Server) listed(origin string) bool {
	return origin != "" && (s.anyPage() || slices.Contains(s.config.Settings.Origins, origin))
}

// ownName reports whether an allowed origin has this host and port: then it is a name of the
// server.
func (s *Server) ownName(host string) bool {
	return slices.ContainsFunc(s.config.Settings.Origins, func(origin string) bool {
		_, name, _ := strings.Cut(origin, "://")
		return strings.EqualFold(strings.TrimSuffix(name, "/"), host)
	})
}

// hostName is a host without port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return bare(host)
}

// bare is a host without the brackets of IPv6.
func bare(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		if ip, ok := strings.CutSuffix(inner, "]"); ok {
			return ip
		}
	}
	return host
}

// loopback reports whether a host is only reachable from this machine.
func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// crossOrigin sets the CORS headers for allowed origins and answers preflight requests. It
// reports whether the call is answered.
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
