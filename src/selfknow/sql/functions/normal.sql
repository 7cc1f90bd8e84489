-- The normal distribution, and the measures of signal detection:
--
-- probit(p)                      the quantile z with p below it, to seven digits; null outside of 0 < p < 1
-- normal_density(z)              exp(-z^2 / 2) / sqrt(2 pi)
-- detection(hits, signals, false_alarms, noises, trials)
--                                a struct: hit_rate, false_alarm_rate, d_prime, d_prime_low, d_prime_high, criterion
--                                (above 0: a bias to say no). hits and false_alarms count the answers "yes" to signals
--                                and to noises. The rates are (count + 0.5) / (n + 1), so that none is 0 or 1; the
--                                interval is normal, with each rate over `trials` independent trials
-- auroc(rank_sum, signals, noises)   the chance that a signal ranks above a noise, from the sum of the signals' ranks
-- auroc_error(area, signals, noises) its standard error
--
-- Sources: Wichura (1988), Algorithm AS 241 (PPND7); Macmillan and Creelman (2005), Detection Theory, for d' and c;
-- Hautus (1995), Corrections for extreme proportions and their biasing effects on estimated values of d'; Gourevitch
-- and Galanter (1967), A significance test for one parameter isosensitivity functions; Hanley and McNeil (1982), The
-- meaning and use of the area under a receiver operating characteristic curve.
create or replace macro normal_density(z) as (exp(-z * z / 2) / sqrt(2 * pi()));

create or replace macro probit_near(q) as (
    list_transform(
        [0.180625 - q * q],
        lambda r: q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179)
        / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0)
    )[1]
);

create or replace macro probit_far(r) as (
    (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777)
    / ((0.12021132975 * r + 0.73700164250) * r + 1.0)
);

create or replace macro probit_farthest(r) as (
    (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150)
    / ((0.012258202635 * r + 0.24197894225) * r + 1.0)
);

create or replace macro probit_tail(r) as (if(r <= 5, probit_far(r - 1.6), probit_farthest(r - 5)));

create or replace macro probit(p) as (
    case
        when p <= 0 or p >= 1 then null
        when abs(p - 0.5) <= 0.425 then probit_near(p - 0.5)
        else sign(p - 0.5) * probit_tail(sqrt(-ln(least(p, 1 - p))))
    end
);

create or replace macro detection_variance(rate, trials) as (
    rate * (1 - rate) / (trials * power(normal_density(probit(rate)), 2))
);

create or replace macro detection_of_rates(hit_rate, false_alarm_rate, trials) as (
    list_transform(
        [
            {
                'd_prime': probit(hit_rate) - probit(false_alarm_rate),
                'margin': 1.959964 * sqrt(
                    detection_variance(hit_rate, trials) + detection_variance(false_alarm_rate, trials)
                )
            }
        ],
        lambda measures: {
            'hit_rate': hit_rate,
            'false_alarm_rate': false_alarm_rate,
            'd_prime': measures.d_prime,
            'd_prime_low': measures.d_prime - measures.margin,
            'd_prime_high': measures.d_prime + measures.margin,
            'criterion': -(probit(hit_rate) + probit(false_alarm_rate)) / 2
        }
    )[1]
);

create or replace macro detection(hits, signals, false_alarms, noises, trials) as (
    case
        when signals > 0 and noises > 0 and trials > 0
            then detection_of_rates((hits + 0.5) / (signals + 1), (false_alarms + 0.5) / (noises + 1), trials)
    end
);

create or replace macro auroc(rank_sum, signals, noises) as (
    (rank_sum - signals * (signals + 1) / 2) / nullif(signals * noises, 0)
);

create or replace macro auroc_error(area, signals, noises) as (
    sqrt(
        (
            area * (1 - area)
            + (signals - 1) * (area / (2 - area) - area * area)
            + (noises - 1) * (2 * area * area / (1 + area) - area * area)
        ) / nullif(signals * noises, 0)
    )
);
