-- What the contract does not know is refused, whoever writes it, by the name of the rule. A row from before a rule stays as it
-- is; an update is judged by the rules of the columns that it changes.

-- ISO 4217 and ISO 3166-1, as the program knows them. A later code comes with a migration.
CREATE TABLE vitrine.currency_codes (code text PRIMARY KEY);
CREATE TABLE vitrine.country_codes (code text PRIMARY KEY);
INSERT INTO vitrine.currency_codes (code) VALUES
  ('AED'), ('AFN'), ('ALL'), ('AMD'), ('AOA'), ('ARS'), ('AUD'), ('AWG'), ('AZN'), ('BAM'), ('BBD'), ('BDT'), ('BHD'),
  ('BIF'), ('BMD'), ('BND'), ('BOB'), ('BOV'), ('BRL'), ('BSD'), ('BTN'), ('BWP'), ('BYN'), ('BZD'), ('CAD'), ('CDF'),
  ('CHE'), ('CHF'), ('CHW'), ('CLF'), ('CLP'), ('CNY'), ('COP'), ('COU'), ('CRC'), ('CUP'), ('CVE'), ('CZK'), ('DJF'),
  ('DKK'), ('DOP'), ('DZD'), ('EGP'), ('ERN'), ('ETB'), ('EUR'), ('FJD'), ('FKP'), ('GBP'), ('GEL'), ('GHS'), ('GIP'),
  ('GMD'), ('GNF'), ('GTQ'), ('GYD'), ('HKD'), ('HNL'), ('HTG'), ('HUF'), ('IDR'), ('ILS'), ('INR'), ('IQD'), ('IRR'),
  ('ISK'), ('JMD'), ('JOD'), ('JPY'), ('KES'), ('KGS'), ('KHR'), ('KMF'), ('KPW'), ('KRW'), ('KWD'), ('KYD'), ('KZT'),
  ('LAK'), ('LBP'), ('LKR'), ('LRD'), ('LSL'), ('LYD'), ('MAD'), ('MDL'), ('MGA'), ('MKD'), ('MMK'), ('MNT'), ('MOP'),
  ('MRU'), ('MUR'), ('MVR'), ('MWK'), ('MXN'), ('MXV'), ('MYR'), ('MZN'), ('NAD'), ('NGN'), ('NIO'), ('NOK'), ('NPR'),
  ('NZD'), ('OMR'), ('PAB'), ('PEN'), ('PGK'), ('PHP'), ('PKR'), ('PLN'), ('PYG'), ('QAR'), ('RON'), ('RSD'), ('RUB'),
  ('RWF'), ('SAR'), ('SBD'), ('SCR'), ('SDG'), ('SEK'), ('SGD'), ('SHP'), ('SLE'), ('SOS'), ('SRD'), ('SSP'), ('STN'),
  ('SVC'), ('SYP'), ('SZL'), ('THB'), ('TJS'), ('TMT'), ('TND'), ('TOP'), ('TRY'), ('TTD'), ('TWD'), ('TZS'), ('UAH'),
  ('UGX'), ('USD'), ('USN'), ('UYI'), ('UYU'), ('UYW'), ('UZS'), ('VED'), ('VES'), ('VND'), ('VUV'), ('WST'), ('XAF'),
  ('XCD'), ('XCG'), ('XOF'), ('XPF'), ('YER'), ('ZAR'), ('ZMW'), ('ZWG');
INSERT INTO vitrine.country_codes (code) VALUES
  ('AD'), ('AE'), ('AF'), ('AG'), ('AI'), ('AL'), ('AM'), ('AO'), ('AQ'), ('AR'), ('AS'), ('AT'), ('AU'), ('AW'),
  ('AX'), ('AZ'), ('BA'), ('BB'), ('BD'), ('BE'), ('BF'), ('BG'), ('BH'), ('BI'), ('BJ'), ('BL'), ('BM'), ('BN'),
  ('BO'), ('BQ'), ('BR'), ('BS'), ('BT'), ('BV'), ('BW'), ('BY'), ('BZ'), ('CA'), ('CC'), ('CD'), ('CF'), ('CG'),
  ('CH'), ('CI'), ('CK'), ('CL'), ('CM'), ('CN'), ('CO'), ('CR'), ('CU'), ('CV'), ('CW'), ('CX'), ('CY'), ('CZ'),
  ('DE'), ('DJ'), ('DK'), ('DM'), ('DO'), ('DZ'), ('EC'), ('EE'), ('EG'), ('EH'), ('ER'), ('ES'), ('ET'), ('FI'),
  ('FJ'), ('FK'), ('FM'), ('FO'), ('FR'), ('GA'), ('GB'), ('GD'), ('GE'), ('GF'), ('GG'), ('GH'), ('GI'), ('GL'),
  ('GM'), ('GN'), ('GP'), ('GQ'), ('GR'), ('GS'), ('GT'), ('GU'), ('GW'), ('GY'), ('HK'), ('HM'), ('HN'), ('HR'),
  ('HT'), ('HU'), ('ID'), ('IE'), ('IL'), ('IM'), ('IN'), ('IO'), ('IQ'), ('IR'), ('IS'), ('IT'), ('JE'), ('JM'),
  ('JO'), ('JP'), ('KE'), ('KG'), ('KH'), ('KI'), ('KM'), ('KN'), ('KP'), ('KR'), ('KW'), ('KY'), ('KZ'), ('LA'),
  ('LB'), ('LC'), ('LI'), ('LK'), ('LR'), ('LS'), ('LT'), ('LU'), ('LV'), ('LY'), ('MA'), ('MC'), ('MD'), ('ME'),
  ('MF'), ('MG'), ('MH'), ('MK'), ('ML'), ('MM'), ('MN'), ('MO'), ('MP'), ('MQ'), ('MR'), ('MS'), ('MT'), ('MU'),
  ('MV'), ('MW'), ('MX'), ('MY'), ('MZ'), ('NA'), ('NC'), ('NE'), ('NF'), ('NG'), ('NI'), ('NL'), ('NO'), ('NP'),
  ('NR'), ('NU'), ('NZ'), ('OM'), ('PA'), ('PE'), ('PF'), ('PG'), ('PH'), ('PK'), ('PL'), ('PM'), ('PN'), ('PR'),
  ('PS'), ('PT'), ('PW'), ('PY'), ('QA'), ('RE'), ('RO'), ('RS'), ('RU'), ('RW'), ('SA'), ('SB'), ('SC'), ('SD'),
  ('SE'), ('SG'), ('SH'), ('SI'), ('SJ'), ('SK'), ('SL'), ('SM'), ('SN'), ('SO'), ('SR'), ('SS'), ('ST'), ('SV'),
  ('SX'), ('SY'), ('SZ'), ('TC'), ('TD'), ('TF'), ('TG'), ('TH'), ('TJ'), ('TK'), ('TL'), ('TM'), ('TN'), ('TO'),
  ('TR'), ('TT'), ('TV'), ('TW'), ('TZ'), ('UA'), ('UG'), ('UM'), ('US'), ('UY'), ('UZ'), ('VA'), ('VC'), ('VE'),
  ('VG'), ('VI'), ('VN'), ('VU'), ('WF'), ('WS'), ('YE'), ('YT'), ('ZA'), ('ZM'), ('ZW');

-- Of what differs from the former row, if there is one. Each resource's table has such a function, created with its rules.
CREATE FUNCTION vitrine.workspaces_fault(shown vitrine.workspaces, former vitrine.workspaces DEFAULT NULL) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN shown.id <> former.id
      THEN 'workspaces_id_kept: a workspace keeps its id; create another workspace instead'
    WHEN shown.id IS DISTINCT FROM former.id AND shown.id = ''
      THEN 'workspaces_id_not_empty: id must not be empty'
    WHEN shown.id IS DISTINCT FROM former.id AND char_length(shown.id) > 200
      THEN 'workspaces_id_at_most_200_characters: id must be at most 200 characters'
    WHEN shown.slug IS DISTINCT FROM former.slug AND shown.slug !~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
      THEN 'workspaces_slug_form: slug must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end'
    WHEN shown.name IS DISTINCT FROM former.name AND shown.name = ''
      THEN 'workspaces_name_not_empty: name must not be empty'
    WHEN shown.name IS DISTINCT FROM former.name AND char_length(shown.name) > 200
      THEN 'workspaces_name_at_most_200_characters: name must be at most 200 characters'
    WHEN shown.timezone IS DISTINCT FROM former.timezone AND shown.timezone IS NOT NULL AND NOT EXISTS (SELECT FROM vitrine.timezones AS z WHERE z.name = shown.timezone)
      THEN 'workspaces_timezone_known: timezone must be a name of the IANA database, as it is spelled there'
    WHEN shown.currency_code IS DISTINCT FROM former.currency_code AND shown.currency_code IS NOT NULL AND NOT EXISTS (SELECT FROM vitrine.currency_codes AS c WHERE c.code = shown.currency_code)
      THEN 'workspaces_currency_code_known: currency_code must be an ISO 4217 code in capitals, such as GBP'
    WHEN shown.country_code IS DISTINCT FROM former.country_code AND shown.country_code IS NOT NULL AND NOT EXISTS (SELECT FROM vitrine.country_codes AS c WHERE c.code = shown.country_code)
      THEN 'workspaces_country_code_known: country_code must be an ISO 3166-1 alpha-2 code in capitals, such as GB'
    WHEN shown.created_at IS DISTINCT FROM former.created_at AND (shown.created_at < '0001-01-01 00:00:00+00' OR shown.created_at >= '10000-01-01 00:00:00+00')
      THEN 'workspaces_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999'
    WHEN shown.archived_at IS DISTINCT FROM former.archived_at AND (shown.archived_at < '0001-01-01 00:00:00+00' OR shown.archived_at >= '10000-01-01 00:00:00+00')
      THEN 'workspaces_archived_at_in_years_1_to_9999: archived_at must be a time in the years 1 to 9999'
  END
$$;
CREATE OR REPLACE FUNCTION vitrine.check_workspace() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  fault text := vitrine.workspaces_fault(NEW, CASE WHEN TG_OP = 'UPDATE' THEN OLD END);
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('workspaces', fault); END IF;
  RETURN NEW;
END $$;
DROP TRIGGER workspace_checked ON vitrine.workspaces;
CREATE TRIGGER workspace_checked BEFORE INSERT OR UPDATE OF id, slug, name, timezone, currency_code, country_code, created_at, archived_at ON vitrine.workspaces
  FOR EACH ROW EXECUTE FUNCTION vitrine.check_workspace();

CREATE OR REPLACE FUNCTION vitrine.check_member() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  fault text := CASE
    WHEN NEW.email IS DISTINCT FROM OLD.email AND char_length(NEW.email) > 254
      THEN 'members_email_at_most_254_characters: email must be at most 254 characters'
    WHEN NEW.email IS DISTINCT FROM OLD.email AND (NEW.email !~
      '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*@[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*)*$'
      OR (char_length(NEW.email) > 65 AND split_part(NEW.email, '@', 2) ~ '[^.]{64}'))
      THEN 'members_email_is_an_address: email must be an email address'
    WHEN NEW.email IS DISTINCT FROM OLD.email AND NEW.email <> lower(NEW.email COLLATE "C")
      THEN 'members_email_in_lower_case: email must be in lower case'
    WHEN NEW.role IS DISTINCT FROM OLD.role AND NEW.role NOT IN ('owner', 'admin', 'member')
      THEN 'members_role_is_known: role must be one of owner, admin, member'
    WHEN NEW.added_at IS DISTINCT FROM OLD.added_at AND (NEW.added_at < '0001-01-01 00:00:00+00' OR NEW.added_at >= '10000-01-01 00:00:00+00')
      THEN 'members_added_at_in_years_1_to_9999: added_at must be a time in the years 1 to 9999'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('members', fault); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER member_checked BEFORE INSERT OR UPDATE OF email, role, added_at ON vitrine.members
  FOR EACH ROW EXECUTE FUNCTION vitrine.check_member();

CREATE OR REPLACE FUNCTION vitrine.check_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  fault text := CASE
    WHEN TG_OP = 'INSERT' AND NEW.hash !~ '^[0-9a-f]{64}$'
      THEN 'api_keys_hash_form: hash must be the SHA-256 of a key, in lower-case hexadecimal'
    WHEN NEW.label IS DISTINCT FROM OLD.label AND NEW.label = ''
      THEN 'api_keys_label_not_empty: label must not be empty'
    WHEN NEW.label IS DISTINCT FROM OLD.label AND char_length(NEW.label) > 100
      THEN 'api_keys_label_at_most_100_characters: label must be at most 100 characters'
    WHEN NEW.permissions IS DISTINCT FROM OLD.permissions AND NEW.permissions !~ '^[^, |]+:read(,[^, |]+:read)*$'
      THEN 'api_keys_permissions_form: permissions must be comma-separated, each such as workspace:read'
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS DISTINCT FROM (OLD.rate_limit, OLD.rate_window_seconds) AND (NEW.rate_limit IS NULL) <> (NEW.rate_window_seconds IS NULL)
      THEN 'api_keys_rate_limit_whole: rate_limit and rate_window_seconds are both set, or neither'
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS DISTINCT FROM (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_limit NOT BETWEEN 1 AND 1000000000
      THEN 'api_keys_rate_limit_in_range: rate_limit must be from 1 to 1000000000'
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS DISTINCT FROM (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_window_seconds NOT BETWEEN 1 AND 86400
      THEN 'api_keys_rate_window_seconds_in_range: rate_window_seconds must be from 1 to 86400'
    WHEN TG_OP = 'INSERT' AND (NEW.created_at < '0001-01-01 00:00:00+00' OR NEW.created_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999'
    WHEN NEW.expires_at IS DISTINCT FROM OLD.expires_at AND (NEW.expires_at < '0001-01-01 00:00:00+00' OR NEW.expires_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_expires_at_in_years_1_to_9999: expires_at must be a time in the years 1 to 9999'
    WHEN NEW.revoked_at IS DISTINCT FROM OLD.revoked_at AND (NEW.revoked_at < '0001-01-01 00:00:00+00' OR NEW.revoked_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_revoked_at_in_years_1_to_9999: revoked_at must be a time in the years 1 to 9999'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('api_keys', fault); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER key_rules_checked BEFORE INSERT OR UPDATE OF label, permissions, rate_limit, rate_window_seconds, expires_at, revoked_at ON vitrine.api_keys
  FOR EACH ROW EXECUTE FUNCTION vitrine.check_key();

-- A key outlives its workspace, and so does the audit log; nothing else does.
ALTER TABLE vitrine.members ADD CONSTRAINT members_workspace_exists
  FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces (id) ON DELETE CASCADE NOT VALID;
ALTER TABLE vitrine.sources ADD CONSTRAINT sources_workspace_exists
  FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces (id) ON DELETE CASCADE NOT VALID;
