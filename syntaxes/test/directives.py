# as:audit project cookies
# 中文 @cookie-di
x = "# as:agent no"  # asd:ignore py-no-print -- reason
