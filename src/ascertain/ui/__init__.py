"""The page in the browser: Streamlit, a client of the service over HTTP."""
