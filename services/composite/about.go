package composite

import (
	"cmp"
	"context"
	"sync"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// serveAbout serves GET /x/about. All services are asked at the same time.
func (e *environment) serveAbout(c *gin.Context, _ any) (any, error) {
	build := process.CurrentBuild()
	about := beyond.About{
		Version: build.Version, Commit: build.Commit, Now: scalar.Instant(e.now()), Services: []beyond.AboutService{},
		Organisations: e.organisations,
		Bounds: beyond.AboutBounds{
			PageLength: rest.MaxLimit, BatchOperations: beyond.MostOperations, IdempotencyKeyLength: request.MaxKey,
			PolicyPartLength: internalapi.LengthOfPart,
		},
	}
	said := make([]*internalapi.About, len(peers))
	var asking sync.WaitGroup
	for i, name := range peers {
		asking.Go(func() { said[i] = e.aboutOf(c.Request.Context(), name) })
	}
	asking.Wait()
	for i, name := range peers {
		if said[i] == nil {
			about.Unavailable = append(about.Unavailable, name)
			continue
		}
		of := beyond.AboutService{
			Name: name, Version: said[i].Version, Commit: said[i].Commit, Settings: []beyond.AboutSetting{},
		}
		for _, s := range said[i].Settings {
			switch s.Name {
			case settings.AmountUnit:
				about.AmountUnit = cmp.Or(about.AmountUnit, s.Value)
			case settings.Currency:
				about.Currency = cmp.Or(about.Currency, s.Value)
			case settings.TimeZone:
				about.TimeZone = cmp.Or(about.TimeZone, s.Value)
			default:
				of.Settings = append(of.Settings, beyond.AboutSetting(s))
			}
		}
		about.Services = append(about.Services, of)
	}
	return about, nil
}

// aboutOf returns what a service says about itself; nil if it does not.
func (e *environment) aboutOf(ctx context.Context, service string) *internalapi.About {
	var said internalapi.About
	if _, err := e.read(ctx, service, internalapi.AboutPath, &said); err != nil {
		return nil
	}
	return &said
}
