package process

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/spf13/pflag"
)

// AboutPath is the path of the internal operation that every service offers: what it is, and by which settings.
const AboutPath = "/internal/about"

// noticed are the settings of every process that its callers notice.
var noticed = []string{"max-body", "request-timeout", "client-timeout"}

// About is what a service is, and the response of AboutPath.
type About struct {
	Name     string         `json:"name"`
	Version  string         `json:"version"`
	Commit   string         `json:"commit"`
	Settings []AboutSetting `json:"settings"`
}

// AboutSetting is a setting. Value is empty if it is not given; Means is its description in --help.
type AboutSetting struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	Means string `json:"means"`
}

// About returns what a service of the process is. It shows the settings that are named with those of every process, and
// no others. It fails if one of them does not exist, or has a list of values, as secrets and addresses have.
func (p *Process) About(service string, settings []string) (About, error) {
	build := CurrentBuild()
	a := About{Name: service, Version: build.Version, Commit: build.Commit, Settings: []AboutSetting{}}
	if p.Settings.flags == nil {
		return a, nil
	}
	for _, name := range slices.Concat(noticed, settings) {
		flag := p.Settings.flags.Lookup(name)
		if flag == nil {
			return a, fmt.Errorf("service %s: there is no setting %s", service, name)
		}
		if _, many := flag.Value.(pflag.SliceValue); many {
			return a, fmt.Errorf("service %s: setting %s has a list of values, which is not shown", service, name)
		}
		value := flag.Value.String()
		if value == "0s" {
			value = "" // a duration that is not given
		}
		a.Settings = append(a.Settings, AboutSetting{name, value, flag.Usage})
	}
	return a, nil
}

// serveAbout returns the handler of AboutPath.
func (p *Process) serveAbout(d Definition) (gin.HandlerFunc, error) {
	about, err := p.About(d.Name, d.Noticed)
	return func(c *gin.Context) { c.JSON(http.StatusOK, about) }, err
}
