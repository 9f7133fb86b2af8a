-- ... and it may count requests and record the use of keys, nothing else. Run as the operator's role, after 'vitrine migrate'.
GRANT INSERT, UPDATE ON vitrine.quota_windows, vitrine.key_use TO vitrine_server;
