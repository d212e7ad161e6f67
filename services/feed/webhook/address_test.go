package webhook

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// resolve has the process resolve every name to the addresses that look returns, which may change from one look-up to
// the next.
func resolve(t *testing.T, look func() []string) {
	t.Helper()
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go respond(theirs, look())
		return ours, nil
	}}
}

// respond responds to the questions of a resolver over a connection, where each message has its length before it.
func respond(conn net.Conn, addresses []string) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		question := make([]byte, int(size[0])<<8|int(size[1]))
		var m dnsmessage.Message
		if _, err := io.ReadFull(conn, question); err != nil || m.Unpack(question) != nil {
			return
		}
		m.Response, m.Authoritative, m.Additionals = true, true, nil
		for _, text := range addresses {
			a := netip.MustParseAddr(text)
			header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET}
			switch {
			case a.Is4() && m.Questions[0].Type == dnsmessage.TypeA:
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header,
					Body: &dnsmessage.AResource{A: a.As4()}})
			case a.Is6() && m.Questions[0].Type == dnsmessage.TypeAAAA:
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: header,
					Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
			}
		}
		packed, err := m.Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(append([]byte{byte(len(packed) >> 8), byte(len(packed))}, packed...)); err != nil {
			return
		}
	}
}

// TestAReceiverIsJudgedByTheAddressThatIsConnectedTo gives a name, which no check of a URL can judge, the address of a
// receiver on this machine, in each form in which it can be written, and also only once the name has been looked up.
func TestAReceiverIsJudgedByTheAddressThatIsConnectedTo(t *testing.T) {
	var reached atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer receiver.Close()
	at, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	to := "http://receiver.example:" + at.Port() + "/"

	for name, addresses := range map[string][][]string{
		"loopback":              {{"127.0.0.1"}},
		"any address":           {{"0.0.0.0"}},
		"IPv6":                  {{"::1"}},
		"IPv4 in IPv6":          {{"::ffff:127.0.0.1"}},
		"a private network":     {{"10.0.0.1", "fd00::1"}},
		"link-local":            {{"169.254.169.254"}},
		"several, one public":   {{"2001:db8::1", "127.0.0.1"}},
		"another than at first": {{"192.0.2.1"}, {"127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var looked atomic.Int64
			resolve(t, func() []string {
				return addresses[min(int(looked.Add(1))-1, len(addresses)-1)]
			})
			h := &Hooks{client: newClient(dialer(false)), wall: time.Now}
			for range 2 {
				got := h.send(t.Context(), to, []string{newSecret()}, "e-1", []byte("{}"))
				if got.accepted() || !strings.Contains(got.fault, "public internet") {
					t.Errorf("%+v", got)
				}
			}
		})
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the receiver was reached %d times", n)
	}
	resolve(t, func() []string { return []string{"127.0.0.1"} })
	h := &Hooks{client: newClient(dialer(true)), wall: time.Now}
	if got := h.send(t.Context(), to, []string{newSecret()}, "e-1", []byte("{}")); !got.accepted() {
		t.Errorf("where private addresses are allowed: %+v", got)
	}
}

// TestNumbersThatStandForAddresses tries forms of 127.0.0.1 that are no address for Go, but for a resolver in C.
func TestNumbersThatStandForAddresses(t *testing.T) {
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1"} {
		if wrongURL("https://"+host+"/hook", false) != "" {
			continue
		}
		resolve(t, func() []string { return []string{"127.0.0.1"} })
		h := &Hooks{client: newClient(dialer(false)), wall: time.Now}
		got := h.send(t.Context(), "http://"+host+":80/", []string{newSecret()}, "e-1", []byte("{}"))
		if got.accepted() || got.fault == "" {
			t.Errorf("%s: %+v", host, got)
		}
	}
}
