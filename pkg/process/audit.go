package process

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/audit"
	"insurance.example/exchange/pkg/request"
)

// The setting of the audit log, and its values besides a file.
const (
	auditLog    = "audit-log"
	auditAuto   = "auto"
	auditStdout = "stdout"
	auditOff    = "off"
)

// KeepAudit opens the audit log of the routers that are made from now on. file is where it goes if the settings leave
// that open; standard output if it is empty.
func (p *Process) KeepAudit(file string) error {
	to := p.Settings.AuditLog
	if to == auditAuto {
		to = cmp.Or(file, auditStdout)
	}
	switch to {
	case auditOff, "":
		p.Log.Info("no audit log is kept", "setting", auditLog)
		return nil
	case auditStdout:
		p.audit = audit.Open(p.stdout, p.Log, p.Registry)
	default:
		out, err := audit.File(to, int(p.Settings.AuditFiles))
		if err != nil {
			return fmt.Errorf("setting %s: %w; name another file, stdout, or off", auditLog, err)
		}
		p.OnClose(out.Close)
		p.audit = audit.Open(out, p.Log, p.Registry)
	}
	p.OnClose(p.audit.Close)
	return nil
}

// auditRequest adds the line of a request to the audit log, if its caller is known. A stranger has no line, because a
// flood of them would push out the others; the access log and the metrics have it.
func (o *observer) auditRequest(c *gin.Context, names *request.Names, route string) {
	if o.audit == nil {
		return
	}
	caller := request.CallerFrom(c.Request.Context())
	if caller.Subject == "" {
		return
	}
	o.audit.Add(&audit.Entry{
		Time: time.Now(), Request: names.ID, Service: o.service, Subject: caller.Subject, Client: caller.Client,
		Organisation: caller.Organisation.Name(), Reason: caller.Reason,
		From: addressOf(c.Request), ForwardedFor: strings.Join(c.Request.Header["X-Forwarded-For"], ", "),
		Method: methodLabel(c.Request.Method), Route: route, Path: c.Request.URL.Path,
		Query: c.Request.URL.RawQuery, Record: c.Writer.Header().Get("Location"),
		Status: c.Writer.Status(), Problem: problemOf(c),
	})
}

// addressOf returns the address from which a request came, without the port.
func addressOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}
