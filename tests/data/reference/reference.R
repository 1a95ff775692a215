# The numbers that tests/test_reference.py asks for, from lme4 and mgcv:
#   Rscript reference.R < seasons.csv > reference.csv
suppressMessages({library(lme4); library(mgcv)})

model <- result ~ 0 + evening + (1 | player)
level <- 0.9

# The criterion of lme4 at θ = τ/σ without its σ: log det and penalised squares; n - p.
criterion <- function(rows) {
  devfun <- lmer(model, rows, REML = TRUE, devFunOnly = TRUE)
  inside <- environment(devfun)
  parts <- function(theta) {
    devfun(theta)
    c(inside$pp$ldL2() + inside$pp$ldRX2(), inside$resp$wrss() + inside$pp$sqrL(1))
  }
  list(parts = parts, nu = nrow(rows) - nlevels(rows$evening))
}

# 90 % profile intervals from that criterion; lme4's own profile() knows ML alone.
intervals <- function(rows, sigma, tau) {
  lme4 <- criterion(rows)
  nu <- lme4$nu
  grid <- c(-Inf, seq(log(1e-4), log(1e3), length.out = 200))
  known <- sapply(exp(grid), lme4$parts)
  at <- function(x, known = lme4$parts(exp(x)), log_sigma = log(known[2] / nu) / 2)
    unname(known[1] + nu * (log(2 * pi) + 2 * log_sigma) + known[2] / exp(2 * log_sigma))
  # The least over θ of a criterion whose σ depends on x = log θ.
  least <- function(log_sigma) {
    found <- sapply(seq_along(grid), function(k) at(grid[k], known[, k], log_sigma(grid[k])))
    k <- which.min(found)
    if (k == 1) return(found[1])
    around <- grid[c(max(k - 1, 2), min(k + 1, length(grid)))]
    min(found[k], optimize(function(x) at(x, log_sigma = log_sigma(x)), around, tol = 1e-9)$objective)
  }
  limit <- at(log(tau / sigma)) + qchisq(level, 1)
  end <- function(f, from, to) uniroot(function(x) f(x) - limit, c(from, to), tol = 1e-12)$root
  of_sigma <- function(x) least(function(y) x)
  of_tau <- function(x) least(function(y) x - y)
  open <- at(-Inf) <= limit
  start <- if (tau > 0) log(tau / sigma) else log(1e-4)
  c(
    sigma_low = exp(end(of_sigma, log(sigma) - 2, log(sigma))),
    sigma_high = exp(end(of_sigma, log(sigma), log(sigma) + 2)),
    tau_low = if (open) 0 else exp(end(of_tau, log(tau) - 6, log(tau))),
    tau_high = exp(end(of_tau, start + log(sigma), log(sigma) + 3)),
    lam_low = exp(-2 * end(at, start, log(1e3))),
    lam_high = if (open) Inf else exp(-2 * end(at, log(1e-4), start))
  )
}

# θ̂, u and the SD of some differences, σ and λ given.
ratings <- function(rows, lam, sigma, label) {
  fit <- gam(result ~ 0 + evening + s(player, bs = "re"), data = rows, sp = lam, scale = sigma^2,
             control = gam.control(scalePenalty = FALSE))
  own <- grep("player", names(coef(fit)))
  names <- levels(rows$player)
  V <- fit$Vp[own, own]
  first <- c(1, 1, 2)
  second <- c(2, length(names), length(names))
  sd <- sqrt(V[cbind(first, first)] + V[cbind(second, second)] - 2 * V[cbind(first, second)])
  rbind(
    data.frame(program = "mgcv", quantity = paste0("theta_", label), name = names, value = coef(fit)[own]),
    data.frame(program = "mgcv", quantity = paste0("se_", label), name = names, value = sqrt(diag(V))),
    data.frame(program = "mgcv", quantity = paste0("sd_", label), name = paste(names[first], names[second]),
               value = sd)
  )
}

season <- function(rows) {
  rows$evening <- factor(rows$evening)
  rows$player <- factor(rows$player)
  fit <- lmer(model, rows, REML = TRUE, control = lmerControl(
    "bobyqa", optCtrl = list(rhobeg = 0.2, rhoend = 1e-10), check.conv.singular = "ignore"))
  sigma <- sigma(fit)
  tau <- sqrt(VarCorr(fit)$player[1])
  reml <- c(sigma = sigma, tau = tau, criterion = REMLcrit(fit))
  ends <- intervals(rows, sigma, tau)
  blup <- ranef(fit)$player
  found <- rbind(
    data.frame(program = "lme4", quantity = "reml", name = names(reml), value = reml),
    data.frame(program = "lme4", quantity = "interval", name = names(ends), value = ends),
    data.frame(program = "lme4", quantity = "theta_reml", name = rownames(blup), value = blup[[1]]),
    ratings(rows, 6, 2400, "6")
  )
  if (tau == 0) return(found)
  by_mgcv <- gam(result ~ 0 + evening + s(player, bs = "re"), data = rows, method = "REML",
                 control = gam.control(scalePenalty = FALSE, epsilon = 1e-12,
                                       newton = list(conv.tol = 1e-10)))
  reml <- sqrt(c(sigma = by_mgcv$reml.scale, tau = by_mgcv$reml.scale / unname(by_mgcv$sp)))
  rbind(found, data.frame(program = "mgcv", quantity = "reml", name = names(reml), value = reml),
        ratings(rows, sigma^2 / tau^2, sigma, "reml"))
}

versions <- sapply(c("lme4", "mgcv", "Matrix"), function(name) as.character(packageVersion(name)))
cat("# ", R.version.string, paste0(", ", names(versions), " ", versions), "\n", sep = "")
seasons <- read.csv(file("stdin"))
found <- by(seasons, factor(seasons$season, unique(seasons$season)), season)
found <- do.call(rbind, Map(cbind, season = names(found), found))
found$value <- sprintf("%.10g", found$value)
write.csv(found, quote = FALSE, row.names = FALSE)
